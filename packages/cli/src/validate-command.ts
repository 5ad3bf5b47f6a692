// `heddle validate`: everything that is wrong with definitions, at once; nothing is run or stored.

import { checkDocument, printProblems, printVerdict } from './check-documents.ts';
import { exitCodes } from './command-error.ts';
import type { DrawnDialect } from './complete-definition.ts';
import { loadActions } from './load-actions.ts';
import { type Document, readOrReport } from './read-document.ts';
import { output } from './terminal.ts';

export interface ValidateOptions {
  readonly actions?: string;
  readonly dialect?: DrawnDialect;
  readonly json?: boolean;
}

export async function validateCommand(files: readonly string[], options: ValidateOptions): Promise<number> {
  const actions = await loadActions(options.actions);
  const documents: Document[] = [];
  for (const file of files) documents.push(await readOrReport(file, options.dialect));
  const checked = documents.map((document) => checkDocument(document, actions));
  const areAllValid = checked.every(({ isValid }) => isValid);
  if (options.json) {
    const report = checked.map(({ document, isValid, problems }) => ({
      file: document.file,
      valid: isValid,
      problems,
    }));
    output.line(JSON.stringify({ valid: areAllValid, files: report }));
  } else {
    for (const each of checked) {
      printProblems(output, each.document.file, each.problems);
      printVerdict(output, each);
    }
  }
  return areAllValid ? exitCodes.done : exitCodes.refused;
}
