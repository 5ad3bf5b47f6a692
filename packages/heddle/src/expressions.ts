// The door for editors of expressions: the language alone, without an engine. Checks a source as the engine does, says what
// it reads, and evaluates it on data.

export type { Json, JsonObject } from './base/json.ts';
export { defaultLimits } from './definition/limits.ts';
export { type Compiled, type CompileOptions, compileExpression } from './expression/compile.ts';
export type { Evaluation, Expression, ExpressionProblem, Scope } from './expression/expression.ts';
export { type Members, membersAt } from './expression/fixed-members.ts';
export { functionNames } from './expression/library.ts';
