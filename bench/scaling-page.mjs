// Scaling page: the arithmetic of docs/guide/scaling.md: what was counted, as tables, and what follows from it.
//
// Always true: what follows is calculated from the figures as the page shows them, so that a reader, and a test, can do it again.

const placements = { tenant: "`'tenant'`", shards: '`{ shards: 4 }`', run: "`'run'`" };
const finished = { alone: 'ten steps, alone', row: 'ten steps, one after the other', fan: '10,000 branches' };
const parked = { person: 'waits for a person', timer: 'waits for a week', event: 'waits for an event' };
const kinds = { ...finished, ...parked };
const counters = {
  objects: 'objects made',
  calls: 'requests to the Worker',
  requests: 'requests to objects',
  home: 'of these, to home',
  rowsWritten: 'rows written',
  rowsRead: 'rows read',
  alarms: 'alarms set',
  rings: 'alarms rung',
  bytes: 'bytes stored',
  awakeMs: 'awake, ms',
};
const projections = {
  batches: 'batches in D1',
  projectedWritten: 'rows written in D1',
  projectedRead: 'rows read in D1',
  requests: counters.requests,
  rowsWritten: 'rows written in objects',
  awakeMs: counters.awakeMs,
};
const speeds = {
  objectSteps: 'steps a second of one object',
  fileSteps: 'steps a second on a file in memory, where no commit waits for a disk',
  diskSteps: 'steps a second on a file on the disk of this machine, durable',
  fileBytes: 'bytes of a file for each run of ten steps',
  bootMs: 'an object that was lost answers again, in ms',
};

/** In US dollars, beyond what a plan includes: as copies of the platform's pages said in the summer of 2026. */
const prices = {
  calls: { title: 'a million requests to the Worker', price: 0.3, included: '10 million' },
  requests: { title: 'a million requests to objects', price: 0.15, included: '1 million' },
  rowsWritten: { title: 'a million rows written', price: 1, included: '50 million' },
  rowsRead: { title: 'a million rows read', price: 0.001, included: '25,000 million' },
  gbSeconds: { title: 'a million GB-s', price: 12.5, included: '400,000' },
};
const storedGb = { title: 'a GB stored, for a month', price: 0.2, included: '5 GB' };
/** What the platform bills for an object in memory, whatever it uses. */
const objectMemoryGb = 0.128;
const requestsPerSecond = 1_000;
const objectGb = 10;

/** What a million of such runs take, in millions. */
function ofMillion({ calls, requests, rowsWritten, rowsRead, awakeMs }) {
  return { calls, requests, rowsWritten, rowsRead, gbSeconds: (awakeMs / 1_000) * objectMemoryGb };
}

const priceOf = (millions) =>
  Object.entries(prices).reduce((sum, [name, { price }]) => sum + price * millions[name], 0);
const gbOfMillion = ({ bytes }) => bytes / 1_000;

const shown = (value, digits = value < 100 ? 2 : 0) => value.toLocaleString('en-US', { maximumFractionDigits: digits });
const dollars = (value) => `$${value.toFixed(2)}`;
const rowOf = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map(rowOf).join('\n');

const tables = {
  counters: ({ costs }) =>
    table(
      ['placement', 'a run', ...Object.values(counters)],
      eachCost(costs, kinds, (cost) => Object.keys(counters).map((name) => shown(cost[name]))),
    ),

  projection: ({ projected }) =>
    table(
      ['placement', 'a run', ...Object.values(projections)],
      eachCost(projected, { row: kinds.row, person: kinds.person }, (cost) =>
        Object.keys(projections).map((name) => shown(cost[name])),
      ),
    ),

  speeds: ({ speed }) =>
    table(
      ['measured', ''],
      Object.entries(speeds).map(([name, title]) => [title, shown(speed[name])]),
    ),

  goals({ costs, speed }) {
    const { row, fan } = costs.tenant;
    const share = speed.objectSteps / speed.fileSteps;
    return table(
      ['', 'measured', 'goal', 'met'],
      [
        ['rows written, a step of a line', (row.rowsWritten - row.alarms) / 10, '≤ 3', 3],
        ['rows written, a branch of a fan-out', (fan.rowsWritten - fan.alarms) / 10_000, '≤ 2.0', 2.005],
        ['a known object is there again, in ms', speed.bootMs, '≤ 20', 20],
      ]
        .map(([what, value, goal, most]) => [what, shown(value), goal, value <= most ? 'yes' : 'no'])
        .concat([['one object, beside the file', `${shown(100 * share, 0)} %`, '≥ 40 %', share >= 0.4 ? 'yes' : 'no']]),
    );
  },

  prices: () =>
    table(
      ['unit', 'US dollars', 'a month includes'],
      [...Object.values(prices), storedGb].map(({ title, price, included }) => [title, shown(price, 3), included]),
    ),

  month: ({ costs }) =>
    table(
      [
        'placement',
        'a million runs a month',
        'requests to objects',
        'rows written',
        'alarms',
        'GB-s',
        'GB stored',
        'price',
      ],
      eachCost(costs, { alone: finished.alone, row: finished.row }, (cost, { row }) => {
        const millions = ofMillion(cost);
        return [
          `${shown(millions.requests)} M`,
          `${shown(millions.rowsWritten)} M`,
          `${shown(cost.rings)} M`,
          shown(millions.gbSeconds * 1_000_000, 0),
          shown(gbOfMillion(row)),
          dollars(priceOf(millions)),
        ];
      }),
    ),

  parked: ({ costs }) =>
    table(
      ['placement', 'a million that', 'objects', 'rows written', 'price of parking', 'GB stored', 'of it, a month'],
      eachCost(costs, parked, (cost) => [
        cost.objects < 0.5 ? 'as there are' : '1 M',
        `${shown(cost.rowsWritten)} M`,
        dollars(priceOf(ofMillion(cost))),
        shown(gbOfMillion(cost)),
        dollars(gbOfMillion(cost) * storedGb.price),
      ]),
    ),

  walls({ costs: { tenant, shards, run }, speed }) {
    const runsOfSteps = (objects) => `${shown((objects * speed.objectSteps) / 10, 0)} runs/s`;
    const runsOfRequests = (objects, { row }) => `${shown((objects * requestsPerSecond) / row.requests, 0)} runs/s`;
    const kept = (objects, { row, person }) =>
      [row, person].map(({ bytes }) => `${shown((objects * objectGb * 1_000) / bytes, 1)} M`).join(' ended runs, or ');
    return table(
      ['placement', 'processor (of this machine)', 'requests', '10 GB of an object'],
      [
        [placements.tenant, runsOfSteps(1), runsOfRequests(1, tenant), `${kept(1, tenant)} parked`],
        [placements.shards, runsOfSteps(4), runsOfRequests(4, shards), `${kept(4, shards)} parked`],
        [
          placements.run,
          'that of home',
          `${shown(requestsPerSecond / run.row.home, 0)} runs/s, at home`,
          'each run has its own',
        ],
      ],
    );
  },
};

function eachCost(costs, names, cellsOf) {
  return Object.entries(costs).flatMap(([placement, cost]) =>
    Object.entries(names).map(([kind, title]) => [placements[placement], title, ...cellsOf(cost[kind], cost)]),
  );
}

const sectionOf = (name) => new RegExp(`(?<=<!-- ${name} -->\n)[^]*?(?=\n<!-- /${name} -->)`);

function fill(page, name, measured) {
  if (!sectionOf(name).test(page)) throw new Error(`Expected a section ${name} in the page, but found none`);
  return page.replace(sectionOf(name), () => tables[name](measured));
}

/** The page with these figures, and what follows from them. */
export const fillPage = (page, measured) =>
  recalculate(['counters', 'projection', 'speeds'].reduce((text, name) => fill(text, name, measured), page));

/** The page with what follows from the figures that it shows. */
export function recalculate(page) {
  const measured = readPage(page);
  return ['goals', 'prices', 'month', 'parked', 'walls'].reduce((text, name) => fill(text, name, measured), page);
}

function readPage(page) {
  const [counted, measured] = ['counters', 'speeds'].map((name) => rowsIn(sectionOf(name).exec(page)?.[0] ?? ''));
  const figures = (names, cells) =>
    Object.fromEntries(Object.keys(names).map((name, index) => [name, Number(cells[index].replaceAll(',', ''))]));
  const costs = {};
  for (const [placement, name] of Object.entries(placements)) {
    const own = counted.filter(([cell]) => cell === name);
    const ofKind = (title) => own.find(([, cell]) => cell === title)?.slice(2) ?? [];
    costs[placement] = Object.fromEntries(
      Object.entries(kinds).map(([kind, title]) => [kind, figures(counters, ofKind(title))]),
    );
  }
  return {
    costs,
    speed: figures(
      speeds,
      measured.map(([, value]) => value),
    ),
  };
}

/** The cells of a table, without its head. */
const rowsIn = (text) =>
  text
    .split('\n')
    .slice(2)
    .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '').trim()));
