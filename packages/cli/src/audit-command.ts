// `heddle audit`: every run's journal replays to the stored state, and its hash chain is intact.

import { exitCodes } from './command-error.ts';
import { type PlaceOptions, withPlace } from './place.ts';
import { count, output, printable } from './terminal.ts';

export function auditCommand({ json, ...where }: PlaceOptions & { readonly json?: boolean }): Promise<number> {
  return withPlace(where, 'look', async ({ heddle, name }) => {
    const audit = await heddle.audit();
    const { runs, rows, problems } = audit;
    if (json) output.line(JSON.stringify({ clean: problems.length === 0, ...audit }));
    else {
      for (const { runId, message } of problems)
        output.line(`${runId ?? name}  ${output.paint('red', printable(message))}`);
      const looked = `${count(runs, 'run')}, ${count(rows, 'journal row')}`;
      if (problems.length === 0)
        output.line(
          `${output.paint('green', 'clean')}: ${looked}; every journal replays to the stored state, every chain is intact`,
        );
      else
        output.line(
          `${output.paint('red', count(problems.length, 'problem'))}: ${looked}; restore ${name} from a backup, and keep this copy for the report`,
        );
    }
    return problems.length === 0 ? exitCodes.done : exitCodes.notCompleted;
  });
}
