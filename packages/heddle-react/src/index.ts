// The door: what pages import.

export {
  type AnswerOptions,
  type Change,
  type ChangeOptions,
  codeOf,
  connectTo,
  type HeddleConnection,
  HeddleProvider,
  isUnreachable,
  useAnswer,
  useChange,
  useConnection,
  useMay,
} from './connection/connection.tsx';
export {
  ExpressionField,
  type ExpressionFieldProps,
  type FieldProblem,
} from './editor/expression/expression-field.tsx';
export { type ExpressionScope, plainScope, type ScopeName } from './editor/expression/scope.ts';
export {
  type DraftDefinition,
  type ExpressionPlace,
  type KnownActions,
  tokenScope,
} from './editor/expression/token-scope.ts';
export { VersionDifference, type VersionDifferenceProps } from './editor/publish/version-difference.tsx';
export { TrialPanel, type TrialPanelProps } from './editor/trial/trial-panel.tsx';
export { WorkflowEditor, type WorkflowEditorProps } from './editor/workflow-editor.tsx';
export { type FormProblem, initialValue } from './forms/form-values.ts';
export { SchemaForm, type SchemaFormProps } from './forms/schema-form.tsx';
export { type Column, DataTable, type DataTableProps, type Selection } from './lists/data-table.tsx';
export { useFeedState, useLive } from './lists/live.ts';
export { RunList, type RunListFilter, type RunListProps } from './lists/run-list.tsx';
export { Button, type ButtonProps } from './parts/button.tsx';
export { Dialog, type DialogProps } from './parts/dialog.tsx';
export { CopyButton, IdText, shortId } from './parts/id-text.tsx';
export { JsonView } from './parts/json-view.tsx';
export { Menu, type MenuItem, type MenuProps } from './parts/menu.tsx';
export { EmptyState, ErrorNotice, Notice, Skeleton, toldError, toldProblems } from './parts/notice.tsx';
export { useNow } from './parts/now.ts';
export { type Look, lookOf, RunStatusMark, StatusMark, StatusShape } from './parts/status-mark.tsx';
export { type Tab, Tabs } from './parts/tabs.tsx';
export { DurationText, durationText, exactText, relativeText, TimeText } from './parts/time-text.tsx';
export { AnswerForm, type AnswerFormProps, Question, type QuestionProps } from './people/answer-form.tsx';
export { Inbox, type InboxProps } from './people/inbox.tsx';
export { Item as PromptItem } from './people/prompt-view.tsx';
export { type Journal, journalSource } from './run/journal-source.ts';
export { RunControls, type RunControlsProps } from './run/run-controls.tsx';
export { type RunLinks, RunLinksProvider } from './run/run-links.tsx';
export type { RunFigures, RunReading, RunSource } from './run/run-source.ts';
export { RunView, type RunViewProps, SourceView, type SourceViewProps } from './run/run-view.tsx';
export { nothingSelected, type RunSelection, readSelection, selectionParameters, selectNode } from './run/selection.ts';
export { SummaryText, type SummaryTextProps } from './run/summary-text.tsx';
export { CompareView, type CompareViewProps } from './run/time/compare-view.tsx';
export { JournalTable, type JournalTableProps } from './run/time/journal-table.tsx';
export { MomentSlider, type MomentSliderProps } from './run/time/moment-slider.tsx';
export { type RunDetail, RunDetails, type RunDetailsProps, readDetail } from './run/time/run-details.tsx';
export { RunTimeline, type RunTimelineProps } from './run/time/run-timeline.tsx';
export { StateView, type StateViewProps } from './run/time/state-view.tsx';
export { Timeline, type TimelineProps, type TimelineSelection } from './run/time/timeline.tsx';
export type { TimelineAttempt, TimelineSpan } from './run/time/timeline-span.ts';
export { WhyTransition, type WhyTransitionProps } from './run/time/why-transition.tsx';
export { WhyWaiting, type WhyWaitingProps } from './run/time/why-waiting.tsx';
export { useRunReading, useRunSource } from './run/use-run-source.ts';
