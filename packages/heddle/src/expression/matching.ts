// Matching a text against a regular expression in linear time, with RE2's syntax (no look-around, no back
// references). The pattern is a literal: it is checked and compiled once, with the expression.

import { RE2JS } from 're2js';
import { charge, type Step } from './frame.ts';
import type { Call, Translate, Translation } from './translation.ts';
import { describe, Fault, failed } from './value.ts';

/** Hostile patterns take up to 35 ns for each character and instruction, ordinary ones a hundredth of that. */
const stepsPerInstruction = 1 / 3;

/** A pattern of thousands of instructions is a mistake or an attack; the longest in common use has some hundred. */
const instructionsMax = 1_000;

export function translateMatches(call: Call, translation: Translation, depth: number, translate: Translate): Step {
  const [receiver, pattern] = call.args;
  if (call.args.length !== 2 || !receiver || pattern?.op !== 'value' || typeof pattern.args !== 'string') {
    const message = `Expected matches(text, 'pattern') with the pattern in quotes, but found ${translation.textOf(call.node)}`;
    const hint = 'A pattern that is computed cannot be checked beforehand: use contains, startsWith or endsWith.';
    return translation.refuse(call.node, { code: 'EXPRESSION_FORBIDDEN', message, hint });
  }
  const compiled = compilePattern(pattern.args);
  if (typeof compiled === 'string') {
    const message = `Expected a regular expression of RE2, but found ${JSON.stringify(pattern.args)}: ${compiled}`;
    return translation.refuse(pattern, { code: 'EXPRESSION_SYNTAX', message });
  }
  const text = translate(receiver, translation, depth + 1);
  const stepsPerCharacter = 0.1 + compiled.programSize() * stepsPerInstruction;
  return (frame) => {
    const value = text(frame);
    if (value instanceof Fault) return value;
    if (typeof value !== 'string') return failed(`Expected a text for matches(), but found ${describe(value)}`);
    return charge(frame, 1 + Math.ceil(value.length * stepsPerCharacter)) ?? compiled.test(value);
  };
}

/** The compiled pattern, or what is wrong with it. */
function compilePattern(source: string): RE2JS | string {
  try {
    const compiled = RE2JS.compile(source);
    return compiled.programSize() <= instructionsMax ? compiled : `more than ${instructionsMax} instructions`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
