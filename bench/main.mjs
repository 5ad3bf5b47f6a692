// The benchmark: `npm run bench`. Every scenario runs in a process of its own, on a SQLite file with full durability,
// beside the physical limit of the same machine in the same run: what SQLite commits per second, alone and in groups.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from './scenario.mjs';

const wanted = process.argv.slice(2).map((name) => name.toLowerCase());

/** Runs one scenario file and answers with what it printed last as JSON. */
function measure(name, ...args) {
  return measureAll(name, ...args).at(-1);
}

function measureAll(name, ...args) {
  const file = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', file, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Expected scenario ${name} to succeed, but it ended with ${status}: ${stderr}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
const number = (value, digits = 0) => value.toLocaleString('en-US', { maximumFractionDigits: digits });
const rows = [];
const report = (scenario, measured, goal, isMet, ratio = '') => {
  rows.push({ scenario, measured, goal, met: isMet ? 'yes' : 'NO', 'beside the physical limit': ratio });
  console.error(`${scenario}: ${measured} (goal: ${goal}) ${ratio}`);
};

const physical = measure('physical');
console.error(
  `physical limit: ${number(physical.singlePerSecond)} single commits/s, ${number(physical.groupedPerSecond)} rows/s in commits of 1,000`,
);

/** The medians of rounds in which each has its turn: a machine that others use is not the same twice. */
function measureInTurn(scenarios, field) {
  return measureRounds(scenarios).map((rounds) => median(rounds.map((round) => round[field])));
}

function measureRounds(scenarios, rounds = 5) {
  const all = scenarios.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, scenario] of scenarios.entries()) all[index].push(measure(...scenario));
  return all;
}

if (isWanted('seq')) {
  const scenarios = [['sequence'], ['sequence', 'never'], ['journal-loop', 'one'], ['journal-loop', 'two']];
  const [stepsPerSecond, here, one, two] = measureInTurn(scenarios, 'stepsPerSecond');
  const beside = stepsPerSecond / here;
  const share = stepsPerSecond / two;
  report(
    'SEQ, writer thread against none',
    `${number(beside, 2)} ×`,
    '>= 1.2 ×',
    beside >= 1.2,
    `${number(here)} without`,
  );
  const loops = `bare journal loops: ${number(one)} with one thread, ${number(two)} with two`;
  report(
    'SEQ, against a bare journal loop with two threads',
    `${number(share * 100)} %`,
    '>= 80 %',
    share >= 0.8,
    loops,
  );
  const ratio = `${number((stepsPerSecond / physical.groupedPerSecond) * 100)} % of grouped rows/s, ${number(stepsPerSecond / physical.singlePerSecond, 1)} × single commits/s`;
  report(
    'SEQ, 10 steps a run, saturated',
    `${number(stepsPerSecond)} steps/s`,
    '>= 20,000, aim 40,000',
    stepsPerSecond >= 20_000,
    ratio,
  );
}
if (isWanted('shards')) {
  const names = ['one', 'main', 'threads'];
  const rounds = measureRounds(names.map((name) => ['shards', name]));
  const [one, main, threads] = rounds.map((all) => median(all.map(({ stepsPerSecond }) => stepsPerSecond)));
  const [oneUs, mainUs, threadsUs] = rounds.map((all) => {
    const [inAll, inMain] = ['allUs', 'mainUs'].map((field) => median(all.map((round) => round[field])));
    return `${number(inAll)} µs of processors a step, ${number(inMain, 1)} in the main thread`;
  });
  console.error(`SHARDS, one file: ${number(one)} steps/s, ${oneUs}`);
  report('SHARDS, two in the main thread, against one file', `${number(main / one, 2)} ×`, 'none', true, mainUs);
  report('SHARDS, two in threads, against one file', `${number(threads / one, 2)} ×`, 'none', true, threadsUs);
}
if (isWanted('postgres')) {
  const names = ['file', 'one', '4'];
  const [file, one, four] = measureInTurn(
    names.map((name) => ['postgres', name]),
    'stepsPerSecond',
  );
  const beside = `${number(file)} on a file`;
  report('POSTGRES, SEQ on one shard', `${number(one)} steps/s`, 'none', true, beside);
  report('POSTGRES, SEQ on four shards of a process', `${number(four)} steps/s`, 'none', true, beside);
}
if (isWanted('fan')) {
  const small = measure('fan', '10000').seconds;
  const large = measure('fan', '100000').seconds;
  const perSecond = (n, seconds) => `${number((n / seconds / physical.groupedPerSecond) * 100)} % of grouped rows/s`;
  report('FAN, 10,000 actions and join', `${number(small, 2)} s`, '< 1 s', small < 1, perSecond(10_000, small));
  report('FAN, 100,000 actions and join', `${number(large, 2)} s`, '< 10 s', large < 10, perSecond(100_000, large));
  report('FAN, 100,000 against 10,000', `${number(large / small, 1)} ×`, '<= 12 ×', large / small <= 12);
}
if (isWanted('dataflow')) {
  const { stepsPerSecond } = measure('dataflow', '10');
  const fan = 10_000 / measure('fan', '10000').seconds;
  report(
    'DATAFLOW, 2,000 nodes, 5,000 edges, fan-in of 1,000',
    `${number(stepsPerSecond)} steps/s`,
    '>= half of FAN',
    stepsPerSecond >= fan / 2,
    `${number(stepsPerSecond / fan, 2)} × FAN beside it`,
  );
}
if (isWanted('drawn')) {
  const { registerMs, speed, stepsPerSecond, threeMs } = measure('drawn');
  const name = 'DRAWN, 2,000 nodes, 5,000 edges';
  report(`${name}, to register`, `${number(registerMs)} ms`, '< 1,000 ms', registerMs < 1_000);
  const done = `${number(stepsPerSecond)} steps/s`;
  report(`${name}, against the same as tokens`, `${number(speed, 2)} ×`, '>= 0.9 ×', speed >= 0.9, done);
  report('DRAWN, three nodes of 100 ms side by side', `${number(threeMs)} ms`, '<= 130 ms', threeMs <= 130);
}
if (isWanted('batch')) {
  const few = measure('batch', '4');
  const many = measure('batch', '64');
  const grown = few.lateMb - few.earlyMb;
  const wider = (many.lateMb - few.lateMb) / 60;
  const done = `${number(few.seconds, 2)} s`;
  report(
    'BATCH, 100,000 items by 100, growth from slice 100 to 900',
    `${number(grown, 1)} MB`,
    '<= 5 MB',
    grown <= 5,
    done,
  );
  report('BATCH, memory of each further slice under way', `${number(wider, 2)} MB`, '<= 0.2 MB', wider <= 0.2);
}
if (isWanted('lat')) {
  const { p50Ms, singleP50Ms } = measure('latency');
  const commits = p50Ms / singleP50Ms;
  report(
    'LAT, p50 of 10 steps, idle engine',
    `${number(p50Ms, 2)} ms`,
    '<= 1.25 × 11 single commits',
    commits <= 1.25 * 11,
    `${number(commits, 1)} single commits of ${number(singleP50Ms, 2)} ms`,
  );
}
if (isWanted('park')) {
  const { addedMb, firstTaskMs } = measure('park', '100000');
  report('PARK, 100,000 waiting runs', `${number(addedMb)} MB`, '<= 100 MB', addedMb <= 100);
  const people = measure('park', '10000', 'person');
  report('PARK, 10,000 suspended runs', `${number(people.addedMb)} MB`, '<= 100 MB', people.addedMb <= 100);
  report('PARK, first task after a restart', `${number(firstTaskMs)} ms`, '<= 1,000 ms', firstTaskMs <= 1_000);
}
if (isWanted('hold')) {
  for (const { name, isOne, holdMs } of measureAll('hold')) {
    const most = isOne ? 250 : 50;
    report(`HOLD, ${name}`, `${number(holdMs)} ms`, `<= ${most} ms of processor time`, holdMs <= most);
  }
}
if (isWanted('start')) {
  const { p50Ms } = measure('start');
  report('START, cold process to first result', `${number(p50Ms)} ms`, '<= 200 ms', p50Ms <= 200);
}
if (isWanted('http')) {
  const { inside, served } = measure('http', 'load');
  const { starts, batches, pace, completions, readers } = served;
  const listed = (all, field, digits = 0) => all.map((one) => number(one[field], digits)).join(', ');
  const reportRate = (scenario, { perSecond, usPerOne, all }, insidePerSecond, atLeast) => {
    const share = (perSecond / insidePerSecond) * 100;
    const rates = `the best of ${listed(all, 'perSecond')} a second; ${number(insidePerSecond)} in process`;
    const ratio = `${rates}; the server's processor: ${number(usPerOne)} µs each`;
    report(scenario, `${number(share)} % of the engine in process`, `>= ${atLeast} %`, share >= atLeast, ratio);
  };
  reportRate('HTTP, run starts, 64 connections', starts, inside.startsPerSecond, 50);
  reportRate('HTTP, run starts, 100 in a request, 4 connections', batches, inside.startsPerSecond, 50);
  report(
    'HTTP, p99 of a start at half that load',
    `${number(pace.p99Ms, 1)} ms`,
    '< 20 ms, each time',
    pace.all.every(({ p99Ms }) => p99Ms < 20),
    `the best of ${listed(pace.all, 'p99Ms', 1)}; p50 ${number(pace.p50Ms, 1)} ms`,
  );
  reportRate('HTTP, task completions, 32 workers with batches of 20', completions, inside.stepsPerSecond, 60);
  report(
    'HTTP, 1,000 idle readers of events',
    `${number(readers.heapMb, 1)} MB`,
    '< 50 MB',
    readers.heapMb < 50,
    `resident: ${number(readers.rssMb, 1)} MB`,
  );
  for (const { path, fewMs, manyMs } of measure('http', 'lists'))
    report(
      `HTTP, ${path}, 1,000,000 runs against 100`,
      `${number(manyMs / fewMs, 2)} ×`,
      'the same: <= 1.5 ×',
      manyMs / fewMs <= 1.5,
      `${number(manyMs, 2)} ms and ${number(fewMs, 2)} ms`,
    );
}
console.table(rows);
