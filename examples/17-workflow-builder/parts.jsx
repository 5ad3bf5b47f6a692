// The parts of the page that only show: a step on the canvas, the palette, forms. None of them asks the engine for anything.

import { BaseEdge, EdgeLabelRenderer, getBezierPath, Handle, NodeResizer, Position } from '@xyflow/react';
import { listHandles } from 'heddle/dialects';
import { createContext, useContext, useState } from 'react';

/** What the steps of the canvas show beside their settings: their types, their problems and their visits, by id. */
export const Shown = createContext({});

export function Step({ id, type, data, selected }) {
  const { types, problems, visits } = useContext(Shown);
  const known = types[type] ?? { title: type };
  const { status = 'idle', visits: count = 0 } = visits[id] ?? {};
  return (
    <>
      {known.isContainer && <NodeResizer isVisible={selected} minWidth={220} minHeight={120} />}
      <header>
        <Icon type={known} />
        <div>
          <strong>{known.title}</strong>
          <code>{id}</code>
        </div>
        {status !== 'idle' && <em>{count > 1 ? `${status} ×${count}` : status}</em>}
      </header>
      <Handle type="target" position={Position.Top} />
      <Problems of={problems[id]} />
      <ul>
        {handlesOf(known, data).map((handle) => (
          <li key={handle} className={handle}>
            {handle === 'main' ? '' : handle}
            <Handle type="source" id={handle} position={Position.Bottom} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** An edge, with what is wrong with it in the middle. */
export function Way({ id, ...ends }) {
  const { problems } = useContext(Shown);
  const [path, x, y] = getBezierPath(ends);
  return (
    <>
      <BaseEdge id={id} path={path} />
      <EdgeLabelRenderer>
        <div className="middle" style={{ left: x, top: y }}>
          <Problems of={problems[id]} />
        </div>
      </EdgeLabelRenderer>
    </>
  );
}

const Problems = ({ of = [] }) =>
  of.map(({ pointer, severity, message, hint }) => (
    <p key={pointer + message} role="alert" className={severity}>
      {hint ? `${message}. ${hint}` : message}
    </p>
  ));

/** Where edges leave. What can be followed by something can fail, too. */
function handlesOf(type, data) {
  const handles = listHandles(type, data) ?? ['main'];
  return handles.length === 0 ? [] : [...handles, 'error'];
}

function Icon({ type: { title, category = '' } }) {
  const hue = Array.from(category, (letter) => 37 * letter.charCodeAt(0)).reduce((sum, one) => sum + one, 0) % 360;
  return (
    <span className="icon" style={{ '--hue': hue }} aria-hidden>
      {title[0]}
    </span>
  );
}

/** What is done with the whole graph. What cannot be done now has no function. */
export function Bar({ title, versions, version, status, notice, onOpen, onSave, onRun }) {
  const dateOf = (time) => new Date(time).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <header>
      <h1>{title}</h1>
      <select aria-label="Version" value={version ?? ''} onChange={(event) => onOpen(Number(event.target.value))}>
        {version === null && <option value="">new</option>}
        {versions.map((one) => (
          <option key={one.version} value={one.version}>
            version {one.version}, {dateOf(one.createdAt)}
          </option>
        ))}
      </select>
      {status && <strong className={status}>{status}</strong>}
      <output title={notice}>{notice}</output>
      <button type="button" disabled={!onSave} onClick={onSave || undefined}>
        Save
      </button>
      <button type="button" className="primary" disabled={!onRun} onClick={onRun || undefined}>
        Run
      </button>
    </header>
  );
}

/** Not for users: plain actions have no category, and these come with every engine. */
const hidden = new Set([undefined, 'Web', 'Trying out']);

/** The node types by category, those of the product first, to be dragged onto the canvas or clicked. */
export function Palette({ types, onAdd }) {
  const offered = Object.values(types).filter(({ category, deprecated }) => !hidden.has(category) && !deprecated);
  const sorted = offered.toSorted((one, other) => (one.source === 'core') - (other.source === 'core'));
  return (
    <nav>
      {Object.entries(Object.groupBy(sorted, ({ category }) => category)).map(([category, members]) => (
        <section key={category}>
          <h2>{category}</h2>
          {members.map((one) => (
            <button
              key={one.type}
              type="button"
              title={one.description}
              draggable
              onClick={() => onAdd(one.type)}
              onDragStart={(event) => event.dataTransfer.setData('text/plain', one.type)}
            >
              <Icon type={one} />
              {one.title}
            </button>
          ))}
        </section>
      ))}
    </nav>
  );
}

/** The settings of a node, by the inputs of its type, and what it came to in the run. */
export function Settings({ node: { id, type, data }, onChange }) {
  const { types, visits } = useContext(Shown);
  const { title = type, description, inputs } = types[type] ?? {};
  return (
    <form aria-label="Settings">
      <h2>{title}</h2>
      <p>{description}</p>
      {inputs?.map((one) => (
        <Field
          key={one.name}
          {...one}
          value={data[one.name]}
          onChange={(value) => onChange({ ...data, [one.name]: value })}
        />
      ))}
      {!inputs && <Field name="Settings" schema={{ type: 'object' }} value={data} onChange={onChange} />}
      <Outcome {...visits[id]} />
    </form>
  );
}

const Outcome = ({ output, error }) => (
  <>
    {error && <pre className="error">{error.message}</pre>}
    {output !== undefined && <pre>{JSON.stringify(output, null, 1)}</pre>}
  </>
);

/** What a run is given, and what it came to. */
export function RunForm({ input, onInput, seen }) {
  return (
    <form aria-label="Run">
      <h2>Run</h2>
      <Field name="Input" schema={{ type: 'object' }} value={input} onChange={onInput} />
      <Outcome {...seen} />
    </form>
  );
}

/** What a run asks a person. The form is made from the schema of the answer. */
export function Question({ prompt: { title, description, schema }, onAnswer }) {
  const fields = Object.entries(schema?.properties ?? {});
  const no = fields.filter(([, { type }]) => type === 'boolean').map(([name]) => [name, false]);
  const [answer, setAnswer] = useState(Object.fromEntries(no));
  return (
    <form aria-label="Question" className="question">
      <h2>{title}</h2>
      <p>{description}</p>
      {fields.map(([name, one]) => (
        <Field
          key={name}
          name={name}
          schema={one}
          required={schema.required?.includes(name)}
          value={answer[name]}
          onChange={(value) => setAnswer({ ...answer, [name]: value })}
        />
      ))}
      <button type="button" className="primary" onClick={() => onAnswer(answer)}>
        Answer
      </button>
    </form>
  );
}

/** One value, by its schema. A text that begins with `=` is an expression, whatever the schema says. */
function Field({ name, schema = {}, title, description, required, isExpression, value, onChange }) {
  const isText = schema.type === 'string' || isExpression;
  const isLong = ['object', 'array'].includes(schema.type);
  const isExpressed = typeof value === 'string' && value.startsWith('=');
  const read = (event) => onChange(isText ? event.target.value || undefined : readValue(event.target.value));
  return (
    <div>
      <label>
        <span>
          {title ?? schema.title ?? name} {required && <b>*</b>} {(isExpression || isExpressed) && <i>expression</i>}
        </span>
        {schema.type === 'boolean' && !isExpressed ? (
          <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />
        ) : schema.enum && !isExpressed ? (
          <select value={value ?? ''} onChange={read}>
            <option />
            {schema.enum.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        ) : (
          <textarea
            rows={isLong ? 6 : 1}
            spellCheck={false}
            defaultValue={typeof value === 'string' ? value : JSON.stringify(value, null, 1)}
            onChange={read}
          />
        )}
      </label>
      {description && <small>{description}</small>}
    </div>
  );
}

/** JSON, or the text itself: an expression, or JSON that is not finished yet. */
function readValue(text) {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
