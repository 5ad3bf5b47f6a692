// Bugs in the deletion of runs and in copies of the store.

const deleteRun = 'sdk/delete-run.ts';
const backUp = 'hosts/sqlite/back-up.ts';
const hint = { kills: 12 };

export const upkeepMutants = [
  {
    id: 'deleted-run-stays',
    file: deleteRun,
    find: 'await store.deleteRuns({ runIds: rows.map(({ runId }) => runId), records });',
    replace: 'void [store, rows, records];',
    kind: 'upkeep',
    what: 'A deletion is acknowledged, and the run is still there.',
    caughtBy: 'kill',
    hint,
  },
  {
    id: 'deleted-run-leaves-its-journal',
    file: deleteRun,
    find: 'isDone = await store.deleteRemains(runId, rowsPerStep);',
    replace: 'isDone = true;',
    kind: 'upkeep',
    what: 'The journal of a run that was deleted stays for ever.',
    caughtBy: 'kill',
    hint,
  },
  {
    id: 'deleted-run-leaves-its-sub-runs',
    file: deleteRun,
    find: 'const places = [...below, root];',
    replace: 'const places = [root];',
    kind: 'upkeep',
    what: 'A run is deleted, and what it called is not.',
    caughtBy: 'kill',
    hint,
  },
  {
    id: 'deleted-run-leaves-its-artifacts',
    file: deleteRun,
    find: 'while (!(await disclaimArtifacts(store, runId, at))) await pause(host);',
    replace: 'void disclaimArtifacts;',
    kind: 'upkeep',
    what: 'The artifacts of a run that was deleted stay for ever.',
    caughtBy: 'tests',
    hint: { tests: 'packages/heddle/src/sdk/retention.test.ts' },
  },
  {
    id: 'backup-under-its-name-too-early',
    file: backUp,
    find: 'const [key, artifacts, draft] = [`${copy}.key`, `${copy}-artifacts`, `${copy}.new`];',
    replace: 'const [key, artifacts, draft] = [`${copy}.key`, `${copy}-artifacts`, copy];',
    kind: 'upkeep',
    what: 'A copy that a crash cut off looks like a whole one.',
    caughtBy: 'kill',
    hint: { kills: 30 },
  },
  {
    id: 'backup-with-another-key',
    file: backUp,
    find: 'await copyDurably(files.keyFile, key);',
    replace: 'await copyDurably(files.file, key);',
    kind: 'upkeep',
    what: 'Nothing that was sealed opens in a copy.',
    caughtBy: 'kill',
    hint: { kills: 5 },
  },
  {
    id: 'backup-without-artifacts',
    file: backUp,
    find: 'await copyArtifacts(files.artifactFolder, artifacts);',
    replace: 'void copyArtifacts;',
    kind: 'upkeep',
    what: 'The runs of a copy name artifacts that it does not have.',
    caughtBy: 'kill',
    hint,
  },
];
