// ExpressionField: an expression with completion of what is in scope, the problem at its place while it is typed, and a
// try-out on sample data or on the data of a past run.
//
// Always true: until the editor is loaded, and where it cannot be, it is a plain input with the same value; what is being
// typed there is not taken from under the hands.

import { type ComponentType, type ReactElement, useEffect, useId, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { isError, ProblemText, type ToldProblem } from '../problem-text.tsx';
import type { CodeLineProps } from './code-line.tsx';
import type { ExpressionScope } from './scope.ts';
import { TryOut } from './try-out.tsx';
import { useProblem } from './use-language.ts';

/** What the check of the whole definition says of the field. */
export type FieldProblem = ToldProblem;

export interface ExpressionFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly scope: ExpressionScope;
  readonly problems?: readonly FieldProblem[];
  /** On whose past runs it can be tried; without, on sample data alone. */
  readonly workflow?: string;
  /** The node whose result it reads, in past runs. */
  readonly nodeId?: string;
  readonly placeholder?: string;
  /** The label stands elsewhere, such as above a column. */
  readonly isLabelHidden?: boolean;
}

export function ExpressionField(props: ExpressionFieldProps): ReactElement {
  const { label, value, onChange, scope, problems = [], workflow, nodeId, placeholder, isLabelHidden = false } = props;
  const [isTrying, setTrying] = useState(false);
  const id = useId();
  const own = useProblem({ source: value, names: scope.names.map(({ name }) => name) });
  const problem: ToldProblem | null = own ?? problems.find(isError) ?? problems[0] ?? null;
  return (
    <div className="hd-field hd-expression">
      <span className={isLabelHidden ? 'hd-visually-hidden' : 'hd-field-label'}>{label}</span>
      <div className="hd-expression-line">
        <AnyLine {...{ label, value, onChange, scope, problem, placeholder }} />
        <Button
          size="small"
          aria-expanded={isTrying}
          aria-controls={id}
          aria-label={`Try out ${label}`}
          onClick={() => setTrying(!isTrying)}
        >
          Try
        </Button>
      </div>
      <p role="status">{problem === null ? null : <ProblemText problem={problem} />}</p>
      <div id={id}>{isTrying ? <TryOut {...{ source: value, scope, workflow, nodeId }} /> : null}</div>
    </div>
  );
}

/** The editor once it is loaded, a plain input until then. */
function AnyLine(props: CodeLineProps): ReactElement {
  const [Line, setLine] = useState<ComponentType<CodeLineProps> | null>(null);
  const [isTyping, setTyping] = useState(false);
  useEffect(() => {
    let isWanted = true;
    // Where it cannot be loaded the plain input stays.
    import('./code-line.tsx').then(({ CodeLine }) => isWanted && setLine(() => CodeLine)).catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, []);
  if (Line !== null && !isTyping) return <Line {...props} />;
  const { label, value, onChange, problem, placeholder } = props;
  return (
    <input
      className="hd-input hd-expression-plain"
      aria-label={label}
      aria-invalid={problem !== null && isError(problem)}
      value={value}
      placeholder={placeholder}
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
      onFocus={() => setTyping(true)}
      onBlur={() => setTyping(false)}
    />
  );
}
