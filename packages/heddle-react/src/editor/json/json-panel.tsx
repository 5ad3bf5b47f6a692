// JSON panel: the definition as text, beside the canvas. What is typed there is drawn as soon as it parses; what does not
// parse yet stays in the draft as it is.

import type { Json } from 'heddle';
import { type ComponentType, type ReactElement, useEffect, useMemo, useState } from 'react';
import { Skeleton } from '../../parts/notice.tsx';
import { useEditor } from '../editor-context.ts';
import { isObject } from '../model/places.ts';
import type { CodeAreaProps } from './code-area.tsx';
import { locate } from './locate.ts';

export function JsonPanel(): ReactElement {
  const { document, problems, dispatch, mayWrite } = useEditor();
  const { definition, text } = document;
  const shown = useMemo(() => text ?? JSON.stringify(definition, null, 2), [definition, text]);
  const diagnostics = useMemo(() => {
    const ranges =
      text === null
        ? locate(
            shown,
            problems.map(({ pointer }) => pointer),
          )
        : new Map<string, never>();
    return problems.map(({ pointer, severity, message, hint = '' }) => ({
      ...(ranges.get(pointer) ?? { from: 0, to: 0 }),
      severity,
      message: `${message}. ${hint}`,
    }));
  }, [problems, shown, text]);
  return (
    <AnyArea
      label="Definition as JSON"
      text={shown}
      isReadOnly={!mayWrite}
      diagnostics={diagnostics}
      onType={(typed) => dispatch({ type: 'type', text: typed, definition: parseObject(typed) })}
    />
  );
}

/** The editor once it is loaded; where it cannot be, a plain field with the same text. */
function AnyArea(props: CodeAreaProps): ReactElement {
  const [Area, setArea] = useState<ComponentType<CodeAreaProps> | 'plain' | null>(null);
  useEffect(() => {
    let isWanted = true;
    import('./code-area.tsx').then(
      ({ CodeArea }) => isWanted && setArea(() => CodeArea),
      () => isWanted && setArea('plain'),
    );
    return () => {
      isWanted = false;
    };
  }, []);
  if (Area === null) return <Skeleton lines={8} />;
  if (Area !== 'plain') return <Area {...props} />;
  const { label, text, isReadOnly, onType } = props;
  return (
    <textarea
      className="hd-input"
      aria-label={label}
      spellCheck={false}
      readOnly={isReadOnly}
      value={text}
      onChange={(event) => onType(event.target.value)}
    />
  );
}

/** Null if it is no JSON, or no object. */
export function parseObject(text: string): Readonly<Record<string, Json>> | null {
  try {
    const value = JSON.parse(text) as Json; // what was parsed is JSON
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
