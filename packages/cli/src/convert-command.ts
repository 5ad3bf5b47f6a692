// `heddle convert`: the token graph that a definition of any dialect compiles to, for reading; nothing is run or stored.

import type { Converted } from 'heddle';
import { checkDocument, printProblems, refusalOf } from './check-documents.ts';
import { exitCodes } from './command-error.ts';
import { loadActions } from './load-actions.ts';
import { readDocument } from './read-document.ts';
import { output, progress } from './terminal.ts';
import type { ValidateOptions } from './validate-command.ts';

export async function convertCommand(file: string, { actions, dialect, json }: ValidateOptions): Promise<number> {
  const document = await readDocument(file, dialect);
  const checked = checkDocument(document, await loadActions(actions));
  printProblems(progress, file, checked.problems);
  if (!checked.token) {
    const error = refusalOf([checked], 'nothing was converted');
    if (json) output.line(JSON.stringify({ error }));
    else progress.line(`${error.message}.`);
    return exitCodes.refused;
  }
  output.line(JSON.stringify(asWritten(checked.token), null, json ? 0 : 2));
  return exitCodes.done;
}

/** Of a token definition that is its normal form; the policy is there for those who come from another dialect. */
function asWritten(token: NonNullable<Converted['token']>): object {
  const { policy, ...definition } = token;
  return policy.dialect === 'token' ? definition : token;
}
