// Problem list: everything that is wrong with the definition. A click selects what it is about, and its field.

import type { ReactElement } from 'react';
import { StatusShape } from '../parts/status-mark.tsx';
import { useEditor } from './editor-context.ts';
import { nothingSelected } from './editor-state.ts';
import type { PlacedProblem } from './model/problem-place.ts';

export interface ProblemListProps {
  /** What it is about is selected. */
  readonly onShow?: () => void;
}

export function ProblemList({ onShow }: ProblemListProps): ReactElement {
  const { problems, select } = useEditor();
  const show = ({ place }: PlacedProblem): void => {
    const selection =
      place.type === 'node'
        ? { nodes: [place.id], edges: [] }
        : place.type === 'edge'
          ? { nodes: [], edges: [place.key] }
          : nothingSelected;
    onShow?.();
    select(selection, place.field);
  };
  if (problems.length === 0) return <p className="hd-field-hint hd-editor-pad">No problems: it can be published.</p>;
  return (
    <ul className="hd-problems">
      {problems.map((problem, index) => (
        <li key={`${problem.pointer} ${problem.code} ${index}`}>
          <button type="button" className="hd-problem" onClick={() => show(problem)}>
            <span data-look={problem.severity === 'error' ? 'failed' : 'waiting'} className="hd-status">
              <StatusShape look={problem.severity === 'error' ? 'failed' : 'waiting'} />
              {problem.severity === 'error' ? 'Error' : 'Warning'}
            </span>
            <span>
              {problem.message}.
              {problem.hint === undefined ? null : <span className="hd-field-hint"> {problem.hint}</span>}
            </span>
            <code className="hd-field-hint">{problem.pointer || '/'}</code>
          </button>
        </li>
      ))}
    </ul>
  );
}
