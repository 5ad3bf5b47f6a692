// Operations on artifacts: bytes that were put for every run. What a run has put, and what a task may read, is asked of
// those (`inside.ts`, `work.ts`).

import type { ObjectReference } from '../base/object-reference.ts';
import { answer, type Bytes, bytes, operation } from './operation.ts';
import { type Page, type Paging, page, paging, reference } from './parts.ts';
import { anyText, object, text } from './schema.ts';

/** A reference, to ask for the bytes. Whether it is one, the engine says. */
export const wantedReference = {
  id: text('The SHA-256 of the bytes.'),
  mimeType: anyText('As the reference has it.'),
};

const tag = 'Artifacts';

export const artifactOperations = {
  putArtifact: operation<object, ObjectReference>({
    tag,
    summary: 'Keep bytes as an artifact that every run may read; their type is the content type',
    where: 'home',
    changes: true,
    scope: 'artifact:write',
    repeatable: true,
    takes: object<object>({}),
    takesBytes: true,
    answers: answer(reference),
  }),
  listArtifacts: operation<Paging, Page<ObjectReference>>({
    tag,
    summary: 'References to what was put for every run',
    where: 'home',
    scope: 'artifact:read',
    repeatable: true,
    takes: object<Paging>(paging),
    answers: answer(page(reference)),
  }),
  getArtifact: operation<ObjectReference, Bytes>({
    tag,
    summary: 'The bytes of an artifact',
    where: 'home',
    scope: 'artifact:read',
    repeatable: true,
    takes: object<ObjectReference>(wantedReference),
    answers: bytes,
  }),
};
