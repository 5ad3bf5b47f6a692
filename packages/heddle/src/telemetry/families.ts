// Families: every figure that a scrape may have in it: its name, its type, what it says, and its labels. One table: the
// text is written from it, and the guide lists what is in it. Rules MT….

export type FamilyType = 'counter' | 'gauge' | 'histogram';

interface Family {
  readonly type: FamilyType;
  readonly help: string;
}

export const families = {
  heddle_runs: { type: 'gauge', help: 'Runs that are stored, by status; of each status up to 10000 are counted.' },
  heddle_runs_quarantined: {
    type: 'gauge',
    help: 'Runs that were set aside because they cannot be loaded or planned.',
  },
  heddle_runs_started_total: { type: 'counter', help: 'Runs that began, by workflow.' },
  heddle_runs_ended_total: { type: 'counter', help: 'Runs that ended, by workflow and status.' },
  heddle_run_duration_seconds: { type: 'histogram', help: 'From the start of a run to its end, by workflow.' },
  heddle_node_executions_total: { type: 'counter', help: 'Visits to nodes that began, by workflow.' },
  heddle_task_attempts_total: { type: 'counter', help: 'Attempts that ended, by action and outcome.' },
  heddle_task_retries_total: { type: 'counter', help: 'Attempts that failed and are made again, by action.' },
  heddle_tasks_lost_total: { type: 'counter', help: 'Tasks whose worker or process has gone, by action.' },
  heddle_tasks_without_action_total: {
    type: 'counter',
    help: 'Tasks that began to wait because nobody has their action, by action.',
  },
  heddle_task_duration_seconds: { type: 'histogram', help: 'From hand-out to result of an attempt, by action.' },
  heddle_tasks_waiting: { type: 'gauge', help: 'Tasks that wait for a worker, by action.' },
  heddle_tasks_leased: { type: 'gauge', help: 'Tasks that workers have, by action.' },
  heddle_workers: { type: 'gauge', help: 'Workers that were heard of since the server began.' },
  heddle_prompts_open: { type: 'gauge', help: 'Prompts that wait for an answer; up to 1000 are counted.' },
  heddle_timer_lag_seconds: { type: 'gauge', help: 'How long the earliest timer has been due; 0 if none is.' },
  heddle_callback_deliveries_pending: {
    type: 'gauge',
    help: 'Deliveries to callbacks that are to be sent, or sent again; up to 100 of each are counted.',
  },
  heddle_journal_rows_total: {
    type: 'counter',
    help: 'Rows that were ever written to the journal: one for each command.',
  },
  heddle_store_readable: { type: 'gauge', help: 'Whether the store answers, of a fleet all of its shards: 1 or 0.' },
  heddle_store_bytes: { type: 'gauge', help: 'The size of the store, by part: file, wal, free, artifacts.' },
  heddle_store_artifacts: { type: 'gauge', help: 'Artifacts in the store.' },
  heddle_spans_exported_total: { type: 'counter', help: 'Spans that the collector has taken.' },
  heddle_spans_dropped_total: { type: 'counter', help: 'Spans that the collector has refused for good.' },
  heddle_errors_total: { type: 'counter', help: 'What went wrong outside of any run: see the log.' },
  heddle_http_requests_total: { type: 'counter', help: 'Requests that were answered, by operation and status.' },
  heddle_http_request_duration_seconds: {
    type: 'histogram',
    help: 'From a request to the beginning of its answer, by operation.',
  },
  heddle_http_rate_limited_total: { type: 'counter', help: 'Requests that were refused because there were too many.' },
  heddle_event_streams: { type: 'gauge', help: 'Readers of live events.' },
  process_cpu_seconds_total: { type: 'counter', help: 'Time on processors, of user and system.' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Memory of the process.' },
  process_start_time_seconds: { type: 'gauge', help: 'When the process began, in seconds since 1970.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'Memory that objects take.' },
  nodejs_eventloop_lag_seconds: { type: 'gauge', help: 'Delay of the event loop since the last scrape, by quantile.' },
} as const satisfies Readonly<Record<string, Family>>;

export type FamilyName = keyof typeof families;
