// `heddle validate`: everything that is wrong with definitions, at once; nothing is run or stored.

import { checkDocuments, printProblems, printVerdict } from './check-documents.ts';
import { exitCodes } from './command-error.ts';
import { readOrReport } from './read-document.ts';
import { output } from './terminal.ts';

export async function validateCommand(files: readonly string[], options: { readonly json?: boolean }): Promise<number> {
  const checked = await checkDocuments(files, readOrReport);
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
