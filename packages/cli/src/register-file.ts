// Register file: a definition in a file becomes a version of a workflow, or all its problems are reported.

import type { Heddle } from 'heddle/client';
import { locate, printProblems } from './check-documents.ts';
import { CommandError } from './command-error.ts';
import type { DrawnDialect } from './complete-definition.ts';
import { type Document, readDocument } from './read-document.ts';
import { progress } from './terminal.ts';

interface RegisteredFile {
  readonly workflow: string;
  readonly version: number;
}

export async function registerFile(
  heddle: Pick<Heddle, 'register'>,
  file: string,
  { dialect }: { readonly dialect?: DrawnDialect },
): Promise<RegisteredFile> {
  const document = await readDocument(file, dialect);
  if (!document.problem) return registerDocument(heddle, document);
  printProblems(progress, file, [document.problem]);
  throw new CommandError(document.problem.code, document.problem.message);
}

export async function registerDocument(heddle: Pick<Heddle, 'register'>, document: Document): Promise<RegisteredFile> {
  const { id, version, problems } = await heddle.register(document.value);
  if (id !== null && version !== null) return { workflow: id, version };
  printProblems(progress, document.file, locate(document, problems));
  const why = problems.find(({ severity }) => severity === 'error');
  throw new CommandError(
    why?.code ?? 'DEFINITION_INVALID',
    `${why?.message ?? 'The definition was refused'}. ${why?.hint ?? ''}`.trim(),
  );
}
