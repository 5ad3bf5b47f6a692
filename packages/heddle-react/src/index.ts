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
export { type FormProblem, initialValue } from './forms/form-values.ts';
export { SchemaForm, type SchemaFormProps } from './forms/schema-form.tsx';
export { Button, type ButtonProps } from './parts/button.tsx';
export { Dialog, type DialogProps } from './parts/dialog.tsx';
export { CopyButton, IdText } from './parts/id-text.tsx';
export { JsonView } from './parts/json-view.tsx';
export { EmptyState, ErrorNotice, Notice, Skeleton, toldError } from './parts/notice.tsx';
export { type Look, lookOf, RunStatusMark, StatusMark, StatusShape } from './parts/status-mark.tsx';
export { type Tab, Tabs } from './parts/tabs.tsx';
export { DurationText, durationText, exactText, relativeText, TimeText, useNow } from './parts/time-text.tsx';
export { type Journal, journalSource } from './run/journal-source.ts';
export type { RunFigures, RunReading, RunSource } from './run/run-source.ts';
export { useRunReading, useRunSource } from './run/use-run-source.ts';
