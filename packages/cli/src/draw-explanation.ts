// Draw explanation: the decisions of a commit as lines for people: how the run stood, what came, what was decided and by
// what, and what was recorded.

import type {
  Command,
  Decision,
  Explanation,
  JoinDecision,
  MappingDecision,
  ReadValue,
  RoutingDecision,
  RunEvent,
  Way,
} from 'heddle';
import { printable, shortened, type Terminal, timeOf } from './terminal.ts';

type Paint = Terminal['paint'];

const valueLengthMax = 100;
const tokensMax = 8;

export function explanationLines(explanation: Explanation, paint: Paint): string[] {
  const { runId, commit, at, before, command, decisions, difference } = explanation;
  const tokens = before.tokens.map(({ id, node, status }) => `#${id} ${printable(node)} ${status}`);
  const more = tokens.length > tokensMax ? [`and ${tokens.length - tokensMax} more`] : [];
  return [
    paint('bold', `commit ${commit} of run ${runId}, ${timeOf(at)}`),
    `before   ${before.status}; state ${shown(before.state)}`,
    ...(tokens.length > 0 ? [`         ${[...tokens.slice(0, tokensMax), ...more].join(', ')}`] : []),
    `came     ${commandLine(command)}`,
    ...(decisions.length > 0 ? ['decided'] : []),
    ...decisions.flatMap((decision) => decisionLines(decision, paint)).map((line) => `  ${line}`),
    'recorded',
    ...explanation.recorded.map((event) => eventLine(event, event.id === explanation.eventId)),
    ...differenceLines(difference, paint),
  ];
}

const shown = (value: unknown): string => shortened(JSON.stringify(value), valueLengthMax);

/** What came, without what only the engine needs. */
function commandLine(command: Command): string {
  const { type, at: _, ...rest } = command;
  return `${type}${Object.keys(rest).length === 0 ? '' : `  ${shortened(JSON.stringify(rest), 160)}`}`;
}

function decisionLines(decision: Decision, paint: Paint): string[] {
  switch (decision.type) {
    case 'routing':
      return routingLines(decision, paint);
    case 'mapping':
      return mappingLines(decision);
    case 'join':
      return [joinLine(decision)];
    case 'edge_join': {
      const { node, require, taken, open, dead, verdict } = decision;
      const edges = `${taken.length} edges taken, ${open} still possible, ${dead} never`;
      return [`join at ${printable(node)} over edges (${require}): ${edges}: ${verdict}`];
    }
  }
}

const verdicts: Readonly<Record<Way['verdict'], string>> = {
  taken: 'taken',
  refused: 'not taken',
  exhausted: 'loop is used up',
  failed: 'failed',
  not_asked: 'not asked',
};

function routingLines({ token, node, outcome, handle, ways, result, error }: RoutingDecision, paint: Paint): string[] {
  const by = handle === undefined ? '' : `, handle "${printable(handle)}"`;
  const end = result === 'ended' ? ': the path ends' : error ? `: ${error.code} ${shortened(error.message, 160)}` : '';
  return [
    `routing from ${printable(node)} (#${token}, ${outcome}${by})${end}`,
    ...ways.map(({ to, priority, condition, verdict, value, reads = [] }) => {
      const asked = condition === null ? 'no condition' : shortened(condition, 80);
      const came = value === undefined ? '' : ` = ${shown(value)}`;
      const read = reads.length === 0 ? '' : ` (${reads.map(describeRead).join(', ')})`;
      const line = `  ${verdicts[verdict].padEnd(15)}  to ${printable(to)}, priority ${priority}: ${asked}${came}${read}`;
      return verdict === 'taken' ? paint('green', line) : line;
    }),
  ];
}

/** `state.total = 1200`. */
function describeRead({ name, value, isLong }: ReadValue): string {
  if (isLong) return `${printable(name)} is long`;
  return value === undefined ? `${printable(name)} is missing` : `${printable(name)} = ${shown(value)}`;
}

const mapped: Readonly<Record<MappingDecision['of'], string>> = {
  input: 'input of',
  output: 'output of',
  result: 'result of',
  merge: 'merge at',
  run_output: 'output of the run',
};

function mappingLines({ of, token, node = '', values }: MappingDecision): string[] {
  const whose = `${mapped[of]} ${printable(node)}`.trimEnd();
  return [
    `${whose}${token === undefined ? '' : ` (#${token})`}`,
    ...values.map(({ target, expression, value, error }) => {
      const came = error === undefined ? (value === undefined ? 'missing, not written' : shown(value)) : error;
      return `  ${printable(target)} from ${shortened(expression, 80)}: ${shortened(came, valueLengthMax)}`;
    }),
  ];
}

function joinLine({ group, join, required, arrived, ended, total, verdict, timedOut, error }: JoinDecision): string {
  const needs = required === null ? '' : `, needs ${required}`;
  const counts = `${arrived} arrived, ${ended} ended elsewhere, of ${total}${needs}`;
  const why = error ? ` (${error.code})` : timedOut ? ' (its time is up)' : '';
  return `join ${printable(join ?? 'none')} of group ${printable(group)}: ${counts}: ${verdict}${why}`;
}

function eventLine({ id, type, runId: _, seq: __, at: ___, ...rest }: RunEvent, isAsked: boolean): string {
  return `${isAsked ? '> ' : '  '}${id.padEnd(8)}  ${type.padEnd(22)}  ${shortened(JSON.stringify(rest), 140)}`;
}

function differenceLines(difference: Explanation['difference'], paint: Paint): string[] {
  if (!difference) return [paint('green', 'The same is decided again.')];
  const { eventId, pointer, replayed } = difference;
  const where = pointer === '' ? eventId : `${eventId} at ${printable(pointer)}`;
  const now = replayed === null ? 'nothing more' : shortened(JSON.stringify(replayed), 200);
  return [paint('yellow', `Otherwise from ${where}: ${now}`)];
}
