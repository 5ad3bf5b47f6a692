// SchemaForm: a form for a value, drawn from its JSON Schema. Problems stand at their fields, by JSON pointer.
//
// Always true: what the form does not draw of a value (members that its schema does not name) is kept.

import type { Json, JsonSchema } from 'heddle';
import { type ReactElement, type ReactNode, useId } from 'react';
import { Button } from '../parts/button.tsx';
import { type Field, type FieldShape, fieldOf, isObject, type Member, readable, type Variant } from './field-of.ts';
import {
  type FormProblem,
  initialValue,
  missingMembers,
  pointerTo,
  problemsAt,
  variantOf,
  withItem,
  withMember,
} from './form-values.ts';
import { ChoiceInput, type InputProps, JsonInput, NumberInput, TextInput } from './inputs.tsx';
import { missedWords } from './problem-words.ts';

export interface SchemaFormProps {
  readonly schema: JsonSchema;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  /** By pointers into the value; those of no field are listed first. */
  readonly problems?: readonly FormProblem[];
  /** What the whole is called. */
  readonly label: string;
}

export function SchemaForm({ schema, value, onChange, problems = [], label }: SchemaFormProps): ReactElement {
  return (
    <div className="hd-form">
      <FieldView
        schema={schema}
        root={schema}
        value={value}
        onChange={onChange}
        problems={problems}
        pointer=""
        name={label}
        isRequired
        depth={0}
      />
    </div>
  );
}

interface FieldViewProps {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  readonly problems: readonly FormProblem[];
  readonly pointer: string;
  readonly name: string;
  readonly isRequired: boolean;
  /** It is missing, and was missed. */
  readonly isMissed?: boolean;
  readonly depth: number;
}

/** What a shape is drawn with. */
type Drawn<Kind extends FieldShape['kind']> = FieldViewProps & {
  readonly field: Field;
  readonly shape: Extract<FieldShape, { kind: Kind }>;
};

function FieldView(props: FieldViewProps): ReactElement {
  const field = fieldOf(props.schema, props.root, props.depth);
  const { shape } = field;
  switch (shape.kind) {
    case 'group':
      return <GroupField {...props} field={field} shape={shape} />;
    case 'list':
      return <ListField {...props} field={field} shape={shape} />;
    case 'variants':
      return <VariantsField {...props} field={field} shape={shape} />;
    case 'several':
      return <SeveralField {...props} field={field} shape={shape} />;
    case 'flag':
      return props.isRequired && !field.hasDefault ? (
        <YesNoField {...props} field={field} shape={shape} />
      ) : (
        <CheckField {...props} field={field} shape={shape} />
      );
    case 'constant':
    case 'text':
    case 'number':
    case 'choice':
    case 'json':
      return <SimpleField {...props} field={field} shape={shape} />;
  }
}

const titleOf = ({ name, depth }: FieldViewProps, { title }: Field): string =>
  title ?? (depth === 0 ? name : readable(name));

interface SaidProps {
  readonly id: string;
  readonly field: Field;
  readonly problems: readonly FormProblem[];
  readonly isMissed: boolean;
}

/** What is said below a field: what it is for, and what is wrong with it. */
function Said({ id, field, problems, isMissed }: SaidProps): ReactElement {
  const { description, shape } = field;
  return (
    <>
      {description === undefined ? null : (
        <span id={`${id}-hint`} className="hd-field-hint">
          {description}
        </span>
      )}
      {isMissed || problems.length > 0 ? (
        <span id={`${id}-problem`} className="hd-field-problem" role="alert">
          {isMissed ? missedWords[shape.kind] : problems.map(({ message }) => message).join(' ')}
        </span>
      ) : null}
    </>
  );
}

function Title({ text, isRequired }: { readonly text: string; readonly isRequired: boolean }): ReactElement {
  return (
    <>
      {text}
      {isRequired ? (
        <span className="hd-field-required" title="Required">
          {' '}
          <span aria-hidden="true">*</span>
          <span className="hd-visually-hidden">(required)</span>
        </span>
      ) : null}
    </>
  );
}

/** A set of controls with a name: what it says, then what is in it. */
function FieldSet({ children, ...props }: Drawn<FieldShape['kind']> & { readonly children: ReactNode }): ReactElement {
  const { field, problems, pointer, isRequired, isMissed = false, depth } = props;
  const id = useId();
  const own = problemsAt(problems, pointer);
  return (
    <fieldset
      className="hd-field hd-field-group"
      data-kind={depth === 0 ? 'whole' : field.shape.kind}
      data-wrong={isMissed || own.length > 0}
      aria-describedby={`${id}-hint`}
    >
      <legend className="hd-field-label">
        <Title text={titleOf(props, field)} isRequired={isRequired && depth > 0} />
      </legend>
      <Said id={id} field={field} problems={own} isMissed={isMissed} />
      {children}
    </fieldset>
  );
}

function SimpleField(props: Drawn<'constant' | 'text' | 'number' | 'choice' | 'json'>): ReactElement {
  const { field, value, onChange, problems, pointer, isRequired, isMissed = false, depth } = props;
  const id = useId();
  const own = problemsAt(problems, pointer);
  const isWrong = own.length > 0 || isMissed;
  const said = [field.description === undefined ? '' : `${id}-hint`, isWrong ? `${id}-problem` : ''];
  const input: InputProps = {
    id,
    value,
    onChange,
    empty: emptyOf(field, isRequired),
    isInvalid: isWrong,
    isRequired,
    describedBy: said.filter((each) => each !== '').join(' ') || undefined,
  };
  return (
    <div className="hd-field">
      <label className="hd-field-label" htmlFor={id}>
        <Title text={titleOf(props, field)} isRequired={isRequired && depth > 0} />
      </label>
      <Control shape={props.shape} input={input} />
      <Said id={id} field={field} problems={own} isMissed={isMissed} />
    </div>
  );
}

/** An emptied field is null where that is a value, an empty text where a text must be, and otherwise not there. */
function emptyOf({ isNullable, shape }: Field, isRequired: boolean): Json | undefined {
  if (isNullable) return null;
  return shape.kind === 'text' && isRequired ? '' : undefined;
}

function Control({
  shape,
  input,
}: {
  readonly shape: Drawn<'constant' | 'text' | 'number' | 'choice' | 'json'>['shape'];
  readonly input: InputProps;
}): ReactElement {
  switch (shape.kind) {
    case 'text':
      return <TextInput format={shape.format} {...input} />;
    case 'number':
      return <NumberInput isWhole={shape.isWhole} {...input} />;
    case 'choice':
      return <ChoiceInput choices={shape.choices} {...input} />;
    case 'json':
      return <JsonInput {...input} />;
    case 'constant':
      return <input id={input.id} className="hd-input" readOnly value={JSON.stringify(shape.value)} />;
  }
}

function GroupField(props: Drawn<'group'>): ReactElement {
  const { shape, field, schema, root, value, onChange, problems, pointer, isRequired, depth } = props;
  const missed = missingMembers(shape.members, value, problemsAt(problems, pointer));
  // Told at the members that are missing, not twice.
  const others = missed.length === 0 ? problems : problems.filter((problem) => problem.pointer !== pointer);
  const isAbsent = value === undefined || value === null;
  if (depth > 0 && isAbsent && (field.isNullable || !isRequired))
    return (
      <FieldSet {...props}>
        <Button size="small" onClick={() => onChange(initialValue(schema, root) ?? {})}>
          Add {titleOf(props, field).toLowerCase()}
        </Button>
      </FieldSet>
    );
  return (
    <FieldSet {...props} problems={others}>
      {shape.members.map((member: Member) => (
        <FieldView
          key={member.name}
          schema={member.schema}
          root={root}
          value={isObject(value) ? value[member.name] : undefined}
          onChange={(inner) => onChange(withMember(value, member.name, inner))}
          problems={problems}
          pointer={pointerTo(pointer, member.name)}
          name={member.name}
          isRequired={member.isRequired}
          isMissed={missed.includes(member.name)}
          depth={depth + 1}
        />
      ))}
      {depth > 0 && (field.isNullable || !isRequired) ? (
        <Button size="small" onClick={() => onChange(field.isNullable ? null : undefined)}>
          Remove {titleOf(props, field).toLowerCase()}
        </Button>
      ) : null}
    </FieldSet>
  );
}

function ListField(props: Drawn<'list'>): ReactElement {
  const { shape, root, value, onChange, problems, pointer, isRequired, depth } = props;
  const items = Array.isArray(value) ? value : [];
  const change = (next: readonly Json[]): void => onChange(next.length === 0 && !isRequired ? undefined : [...next]);
  return (
    <FieldSet {...props}>
      {items.map((item, place) => (
        // By its place: items have no name, and equal ones may stand side by side.
        <div className="hd-field-item" key={place}>
          <FieldView
            schema={shape.item}
            root={root}
            value={item ?? undefined}
            onChange={(inner) => change(withItem(items, place, inner))}
            problems={problems}
            pointer={pointerTo(pointer, place)}
            name={`Item ${place + 1}`}
            isRequired
            depth={depth + 1}
          />
          <Button
            size="small"
            aria-label={`Remove item ${place + 1}`}
            onClick={() => change(items.filter((_, at) => at !== place))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button
        size="small"
        onClick={() => change([...items, initialValue(shape.item, root) ?? emptyItem(shape.item, root)])}
      >
        Add an item
      </Button>
    </FieldSet>
  );
}

/** A new item must be something: a list has no holes. */
function emptyItem(schema: JsonSchema, root: JsonSchema): Json {
  return fieldOf(schema, root).shape.kind === 'text' ? '' : null;
}

function SeveralField(props: Drawn<'several'>): ReactElement {
  const { shape, value, onChange, isRequired } = props;
  const chosen = Array.isArray(value) ? value : [];
  const toggle = (choice: Json, isChosen: boolean): void => {
    const next = isChosen ? [...chosen, choice] : chosen.filter((each) => each !== choice);
    onChange(next.length === 0 && !isRequired ? undefined : next);
  };
  return (
    <FieldSet {...props}>
      {shape.choices.map(({ value: choice, label }) => (
        <label key={JSON.stringify(choice)} className="hd-check">
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onChange={({ target }) => toggle(choice, target.checked)}
          />
          {label}
        </label>
      ))}
    </FieldSet>
  );
}

function VariantsField(props: Drawn<'variants'>): ReactElement {
  const { shape, root, value, onChange, depth } = props;
  const id = useId();
  const at = variantOf(shape.variants, value, root);
  const variant = shape.variants[at];
  const choose = ({ schema }: Variant): void => onChange(initialValue(schema, root) ?? emptyItem(schema, root));
  return (
    <FieldSet {...props}>
      <label className="hd-visually-hidden" htmlFor={id}>
        Kind of {titleOf(props, props.field).toLowerCase()}
      </label>
      <select
        id={id}
        className="hd-input"
        value={at}
        onChange={({ target }) => {
          const chosen = shape.variants[Number(target.value)];
          if (chosen === undefined) onChange(undefined);
          else choose(chosen);
        }}
      >
        <option value={-1}>Choose…</option>
        {shape.variants.map(({ label }, place) => (
          <option key={label} value={place}>
            {label}
          </option>
        ))}
      </select>
      {variant === undefined ? null : (
        <FieldView {...props} schema={variant.schema} name={variant.label} isRequired depth={depth + 1} />
      )}
    </FieldSet>
  );
}

/** A yes or no that must be given is never given by leaving it alone. */
function YesNoField(props: Drawn<'flag'>): ReactElement {
  const { value, onChange } = props;
  const name = useId();
  return (
    <FieldSet {...props}>
      <div className="hd-checks">
        {[true, false].map((choice) => (
          <label key={String(choice)} className="hd-check">
            <input type="radio" name={name} checked={value === choice} onChange={() => onChange(choice)} />
            {choice ? 'Yes' : 'No'}
          </label>
        ))}
      </div>
    </FieldSet>
  );
}

function CheckField(props: Drawn<'flag'>): ReactElement {
  const { field, value, onChange, problems, pointer, isMissed = false } = props;
  const id = useId();
  return (
    <div className="hd-field">
      <label className="hd-check">
        <input
          type="checkbox"
          checked={value === true}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => onChange(target.checked)}
        />
        {titleOf(props, field)}
      </label>
      <Said id={id} field={field} problems={problemsAt(problems, pointer)} isMissed={isMissed} />
    </div>
  );
}
