// Decision sentences: what was decided at a commit, and by what, in words with values:
// `state.total < 1000 was false: state.total = 1200`.

import type { Decision, JoinDecision, Json, MappingDecision, ReadValue, RoutingDecision, Way } from 'heddle';
import type { Look } from '../../parts/status-mark.tsx';

/** One line, and those that belong to it. */
export interface Sentence {
  readonly look: Look;
  readonly text: string;
  /** The node that it is about. */
  readonly node: string | null;
  readonly parts: readonly Sentence[];
}

const valueCharacters = 120;

const shown = (value: Json | undefined): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > valueCharacters ? `${text.slice(0, valueCharacters - 1)}…` : text;
};

export function sentencesOf(decisions: readonly Decision[]): readonly Sentence[] {
  return decisions.map((decision) => {
    switch (decision.type) {
      case 'routing':
        return routingSentence(decision);
      case 'join':
        return joinSentence(decision);
      case 'edge_join': {
        const { node, taken, open, dead, verdict } = decision;
        const text = `${node} ${edgeVerdicts[verdict]}: ${taken.length} ways came, ${open} may still come, ${dead} never will`;
        return { look: edgeLooks[verdict], text, node, parts: [] };
      }
      case 'mapping':
        return mappingSentence(decision);
    }
  });
}

const edgeVerdicts = { runs: 'runs', waits: 'waits', skipped: 'will not run' } as const;
const edgeLooks = { runs: 'done', waits: 'waiting', skipped: 'cancelled' } as const;

function routingSentence({ node, outcome, handle, ways, result, error }: RoutingDecision): Sentence {
  const chose = handle === undefined ? '' : ` and chose ${handle}`;
  const came = `${node} ${outcome === 'success' ? 'succeeded' : 'failed'}${chose}`;
  const taken = ways.filter(({ verdict }) => verdict === 'taken').map(({ to }) => to);
  const then: Readonly<Record<RoutingDecision['result'], string>> = {
    taken: `continued with ${taken.join(', ')}`,
    ended: 'its path ended: no way was open',
    failed: `could not continue: ${error?.message ?? 'no way was open'}`,
  };
  const looks: Readonly<Record<RoutingDecision['result'], Look>> = { taken: 'done', ended: 'idle', failed: 'failed' };
  return { look: looks[result], text: `${came}; ${then[result]}`, node, parts: ways.map(waySentence) };
}

const wayLooks: Readonly<Record<Way['verdict'], Look>> = {
  taken: 'done',
  refused: 'cancelled',
  exhausted: 'cancelled',
  failed: 'failed',
  not_asked: 'idle',
};

function waySentence(way: Way): Sentence {
  return { look: wayLooks[way.verdict], text: `to ${way.to}: ${wayText(way)}`, node: way.to, parts: [] };
}

function readText({ name, value, isLong }: ReadValue): string {
  if (isLong === true) return `${name} is too long to be told`;
  return value === undefined ? `${name} is missing` : `${name} = ${shown(value)}`;
}

function wayText({ condition, verdict, value, reads }: Way): string {
  const values = (reads ?? []).map(readText);
  const by = values.length === 0 ? '' : `: ${values.join(', ')}`;
  switch (verdict) {
    case 'taken':
      return condition === null ? 'taken, it has no condition' : `${condition} was true${by}`;
    case 'refused':
      return condition === null ? 'not taken' : `${condition} was ${shown(value ?? false)}${by}`;
    case 'exhausted':
      return 'its loop was taken as often as it may';
    case 'failed':
      return `${condition ?? 'its condition'} is neither true nor false${value === undefined ? '' : `: it came to ${shown(value)}`}${by}`;
    case 'not_asked':
      return `${condition === null ? '' : `${condition} `}was not asked: a way of higher priority was open`;
  }
}

const joinVerdicts: Readonly<Record<JoinDecision['verdict'], string>> = {
  fires: 'continued',
  waits: 'waits for more',
  fails: 'failed',
  closes: 'closed, as nothing more can come',
};
const joinLooks: Readonly<Record<JoinDecision['verdict'], Look>> = {
  fires: 'done',
  waits: 'waiting',
  fails: 'failed',
  closes: 'cancelled',
};

function joinSentence(decision: JoinDecision): Sentence {
  const { group, join, required, arrived, ended, failed, total, verdict, timedOut, error } = decision;
  const needs = required === null ? '' : required === 'all' ? ', all are needed' : `, ${required} are needed`;
  const counts = [
    `${arrived} of ${total} branches arrived${needs}`,
    ended > 0 ? `${ended} ended elsewhere` : '',
    failed > 0 ? `${failed} failed` : '',
    timedOut === true ? 'its time was up' : '',
    error?.message ?? '',
  ].filter((part) => part !== '');
  const text = `The join ${join ?? `of group ${group}`} ${joinVerdicts[verdict]}: ${counts.join(', ')}`;
  return { look: joinLooks[verdict], text, node: join, parts: [] };
}

const mappingWords: Readonly<Record<MappingDecision['of'], string>> = {
  input: 'The input of',
  output: 'What was taken from the output of',
  result: 'The result of',
  merge: 'What was merged at',
  run_output: 'The output of the run',
};

function mappingSentence({ of, node, values }: MappingDecision): Sentence {
  const whose = of === 'run_output' ? mappingWords[of] : `${mappingWords[of]} ${node ?? 'a node'}`;
  const parts = values.map(({ target, expression, value, error }): Sentence => {
    const came = error ?? (value === undefined ? 'nothing, so that it was not written' : shown(value));
    return {
      look: error === undefined ? 'idle' : 'failed',
      text: `${target} from ${expression}: ${came}`,
      node: null,
      parts: [],
    };
  });
  return { look: 'idle', text: whose, node: node ?? null, parts };
}
