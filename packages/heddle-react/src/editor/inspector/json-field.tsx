// JSON field: any value as JSON. What does not parse yet stays in the field, and the value stays as it was.

import type { Json } from 'heddle';
import { type ReactElement, useState } from 'react';
import { jsonError } from '../check/use-check.ts';

export interface JsonFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

export function JsonField({ id, label, value, onChange }: JsonFieldProps): ReactElement {
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? textFor(value);
  const isWrong = typed !== null && parse(typed) === null;
  return (
    <>
      <textarea
        id={id}
        className="hd-input"
        aria-label={label}
        aria-invalid={isWrong}
        spellCheck={false}
        rows={Math.min(16, text.split('\n').length + 1)}
        value={text}
        onBlur={() => !isWrong && setTyped(null)}
        onChange={({ target }) => {
          setTyped(target.value);
          const read = parse(target.value);
          if (read !== null) onChange(read.value);
        }}
      />
      {isWrong ? <p className="hd-field-problem">Expected JSON, but {jsonError(typed)}.</p> : null}
    </>
  );
}

const textFor = (value: Json | undefined): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** Null if it does not parse; an empty text is nothing. */
function parse(text: string): { readonly value: Json | undefined } | null {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) as Json }; // what was parsed is JSON
  } catch {
    return null;
  }
}
