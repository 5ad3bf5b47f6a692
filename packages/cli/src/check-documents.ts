// Check documents: all that is wrong with definitions in files, said in a way that editors and people can follow.

import { type Converted, convertToToken, type Failure, type Problem } from 'heddle';
import type { NamedActions } from './load-actions.ts';
import { locatePointer } from './locate-pointer.ts';
import type { Document } from './read-document.ts';
import { count, printable, type Terminal } from './terminal.ts';

export interface LocatedProblem extends Problem {
  readonly line?: number;
}

export interface CheckedDocument {
  readonly document: Document;
  readonly isValid: boolean;
  readonly problems: readonly LocatedProblem[];
  /** What it compiles to; null if there are errors. */
  readonly token: Converted['token'];
}

/** With the node types that there are: their ports count. */
export function checkDocument(document: Document, { nodeTypes }: NamedActions): CheckedDocument {
  if (document.problem) return { document, problems: [document.problem], isValid: false, token: null };
  const { problems, token } = convertToToken(document.value, { nodeTypes });
  return { document, problems: locate(document, problems), isValid: token !== null, token };
}

export function locate({ text }: Document, problems: readonly Problem[]): readonly LocatedProblem[] {
  return problems.map((problem) => ({
    ...problem,
    ...(text === null ? {} : { line: locatePointer(text, problem.pointer) }),
    ...(problem.code === 'DIALECT_MISSING' ? { hint: `${problem.hint} Or pass --dialect.` } : {}),
  }));
}

/** All that is wrong as one error, for programs. */
export function refusalOf(checked: readonly CheckedDocument[], consequence: string): Failure {
  const errors = checked.flatMap(({ problems }) => problems).filter(({ severity }) => severity === 'error');
  const message = `Expected a valid definition, but found ${count(errors.length, 'error')}; ${consequence}`;
  return { code: 'DEFINITION_INVALID', message, details: errors.map((problem) => ({ ...problem })) };
}

/** `file:line:pointer  CODE  sentence  (hint)`, a line for each. */
export function printProblems(to: Terminal, file: string, problems: readonly LocatedProblem[]): void {
  for (const { severity, line, pointer, code, message, hint } of problems) {
    const place = [file, ...(line === undefined ? [] : [line]), printable(pointer)]
      .filter((part) => part !== '')
      .join(':');
    const word = severity === 'error' ? to.paint('red', code) : to.paint('yellow', `warning ${code}`);
    const next = hint === undefined ? '' : `  ${to.paint('dim', `(${printable(hint)})`)}`;
    to.line(`${to.paint('bold', place)}  ${word}  ${printable(message)}${next}`);
  }
}

export function printVerdict(to: Terminal, { document, problems, isValid }: CheckedDocument): void {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  const also = warnings > 0 ? ` (${count(warnings, 'warning')})` : '';
  const verdict = isValid ? to.paint('green', 'valid') : to.paint('red', count(errors, 'error'));
  to.line(`${document.file}: ${verdict}${also}`);
}
