// Inputs: the controls of a form, one for each kind of simple value. Each gives its value back as JSON, or undefined for none.

import type { Json } from 'heddle';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { type Choice, labelOf, type TextFormat } from './field-of.ts';

export interface InputProps {
  readonly id: string;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  /** What an emptied control means: null, an empty text, or nothing. */
  readonly empty: Json | undefined;
  readonly isInvalid: boolean;
  readonly isRequired: boolean;
  /** The ids of what is said about it. */
  readonly describedBy: string | undefined;
}

const ariaOf = ({ isInvalid, isRequired, describedBy }: InputProps) => ({
  'aria-invalid': isInvalid,
  'aria-required': isRequired,
  'aria-describedby': describedBy,
});

const inputTypes: Readonly<Record<Exclude<TextFormat, 'paragraph'>, string>> = {
  line: 'text',
  date: 'date',
  'date-time': 'datetime-local',
  time: 'time',
  // Not the browser's own check: the schema has the word.
  email: 'text',
  url: 'text',
  password: 'password',
};

const inputModes: Readonly<Partial<Record<TextFormat, 'email' | 'url'>>> = { email: 'email', url: 'url' };

export function TextInput({ format, ...props }: InputProps & { readonly format: TextFormat }): ReactElement {
  const { id, value, onChange, empty } = props;
  const change = (text: string): void => onChange(text === '' ? empty : fromControl(text, format));
  const shared = { id, className: 'hd-input', value: toControl(value, format), ...ariaOf(props) };
  return format === 'paragraph' ? (
    <textarea {...shared} className="hd-input hd-prose-input" onChange={({ target }) => change(target.value)} />
  ) : (
    <input
      {...shared}
      type={inputTypes[format]}
      inputMode={inputModes[format]}
      autoComplete={format === 'password' ? 'new-password' : undefined}
      onChange={({ target }) => change(target.value)}
    />
  );
}

/** The control knows local times without a zone; the value is a moment. */
function toControl(value: Json | undefined, format: TextFormat): string {
  if (value === undefined || value === null) return '';
  const text = labelOf(value);
  if (format !== 'date-time') return text;
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const fromControl = (text: string, format: TextFormat): string =>
  format === 'date-time' ? new Date(text).toISOString() : text;

/** What is no number is kept as the text that it is: the check says what is wrong with it. */
export function NumberInput({ isWhole, ...props }: InputProps & { readonly isWhole: boolean }): ReactElement {
  const { id, value, onChange, empty } = props;
  const given = value === undefined || value === null ? '' : labelOf(value);
  const [text, setText] = useState(given);
  const shown = numberIn(text) === value ? text : given;
  const change = (typed: string): void => {
    setText(typed);
    onChange(typed.trim() === '' ? empty : numberIn(typed));
  };
  return (
    <input
      id={id}
      className="hd-input"
      inputMode={isWhole ? 'numeric' : 'decimal'}
      value={shown}
      {...ariaOf(props)}
      onChange={({ target }) => change(target.value)}
    />
  );
}

function numberIn(text: string): Json {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : text;
}

export function ChoiceInput({ choices, ...props }: InputProps & { readonly choices: readonly Choice[] }): ReactElement {
  const { id, value, onChange, empty, isRequired } = props;
  const at = choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
  return (
    <select
      id={id}
      className="hd-input"
      value={at}
      {...ariaOf(props)}
      onChange={({ target }) => onChange(choices[Number(target.value)]?.value ?? empty)}
    >
      <option value={-1}>{isRequired && empty !== null ? 'Choose…' : 'None'}</option>
      {choices.map(({ value: choice, label }, place) => (
        <option key={JSON.stringify(choice)} value={place}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** Text that is JSON. While it is not, the last value stands, and the form around it is not sent. */
const jsonExample = 'JSON, such as { "name": "Ada" }';

export function JsonInput(props: InputProps): ReactElement {
  const { id, value, onChange } = props;
  const [text, setText] = useState(() => textOf(value));
  const [last, setLast] = useState(value);
  const control = useRef<HTMLTextAreaElement>(null);
  if (value !== last) {
    setLast(value);
    // Changed from elsewhere: what stands here is out of date.
    const read = parsed(text);
    if ('wrong' in read || JSON.stringify(read.value) !== JSON.stringify(value)) setText(textOf(value));
  }
  const read = parsed(text);
  const wrong = 'wrong' in read ? read.wrong : '';
  useEffect(() => control.current?.setCustomValidity(wrong), [wrong]);
  const change = (typed: string): void => {
    setText(typed);
    const now = parsed(typed);
    if ('wrong' in now) return;
    setLast(now.value);
    onChange(now.value);
  };
  return (
    <>
      <textarea
        ref={control}
        id={id}
        className="hd-input"
        spellCheck={false}
        placeholder={jsonExample}
        value={text}
        {...ariaOf(props)}
        aria-invalid={props.isInvalid || wrong !== ''}
        onChange={({ target }) => change(target.value)}
      />
      {wrong === '' ? null : <span className="hd-field-problem">{wrong}</span>}
    </>
  );
}

const textOf = (value: Json | undefined): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

type Read = { readonly value: Json | undefined } | { readonly wrong: string };

function parsed(text: string): Read {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) as Json }; // it gives nothing else
  } catch (error) {
    return { wrong: `Expected JSON, but ${error instanceof Error ? error.message : String(error)}` };
  }
}
