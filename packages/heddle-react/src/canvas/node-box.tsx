// NodeBox: how a node looks on a canvas: its name, what it does, and what is to be said of it below.

import type { ReactElement, ReactNode } from 'react';
import { type Look, StatusShape } from '../parts/status-mark.tsx';

/** As wide as every node is, and as high as one is with a row of figures. */
export const nodeSize = { width: 208, height: 80 };

export interface NodeBoxProps {
  readonly title: string;
  /** What it does, in a word or two: its action, its type. */
  readonly what: string;
  readonly look?: Look;
  readonly isSelected?: boolean;
  /** It is not the one that is looked for, or was never reached. */
  readonly isDimmed?: boolean;
  readonly children?: ReactNode;
}

export function NodeBox({
  title,
  what,
  look = 'idle',
  isSelected = false,
  isDimmed = false,
  children,
}: NodeBoxProps): ReactElement {
  return (
    <div className="hd-node" data-look={look} data-selected={isSelected} data-dimmed={isDimmed}>
      <div className="hd-node-head">
        <StatusShape look={look} />
        <span className="hd-node-title" title={title}>
          {title}
        </span>
      </div>
      <div className="hd-node-what" title={what}>
        {what}
      </div>
      {children}
    </div>
  );
}
