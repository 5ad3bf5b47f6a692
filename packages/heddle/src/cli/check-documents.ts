// Check documents: all that is wrong with definitions in files, said in a way that editors and people can follow.

import type { Problem } from '../base/problem.ts';
import { createEngine } from '../index.ts';
import { locatePointer } from './locate-pointer.ts';
import { type Document, readDocument } from './read-document.ts';
import { count, printable, type Terminal } from './terminal.ts';

export interface LocatedProblem extends Problem {
  readonly line?: number;
}

export interface CheckedDocument {
  readonly document: Document;
  readonly isValid: boolean;
  readonly problems: readonly LocatedProblem[];
}

export async function checkDocuments(
  files: readonly string[],
  read: (file: string) => Promise<Document> = readDocument,
): Promise<readonly CheckedDocument[]> {
  const engine = await createEngine();
  const documents: Document[] = [];
  for (const file of files) documents.push(await read(file));
  return documents.map((document) => {
    const { problem, value } = document;
    const problems = problem ? [problem] : locate(document, engine.validate(value));
    return { document, problems, isValid: problems.every(({ severity }) => severity === 'warning') };
  });
}

export function locate({ text }: Document, problems: readonly Problem[]): readonly LocatedProblem[] {
  if (text === null) return problems;
  return problems.map((problem) => ({ ...problem, line: locatePointer(text, problem.pointer) }));
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
