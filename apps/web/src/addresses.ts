// Addresses: where things are in the app, and back. Names may hold any character.

import { useParams } from 'wouter';

export const addressOf = {
  run: (runId: string): string => `/runs/${encodeURIComponent(runId)}`,
  compare: (runId: string, otherId: string): string =>
    `/runs/${encodeURIComponent(runId)}/compare/${encodeURIComponent(otherId)}`,
  workflow: (id: string): string => `/workflows/${encodeURIComponent(id)}`,
  editor: (id: string): string => `/workflows/${encodeURIComponent(id)}/edit`,
  prompt: (correlationId: string): string => `/inbox/${encodeURIComponent(correlationId)}`,
} as const;

/** A part of the address; undefined if it has none. */
export function useParam(name: string): string | undefined {
  const text = useParams()[name];
  return text === undefined ? undefined : decoded(text);
}

/** The router has taken off what it could: an encoded slash is left, and a percent sign that stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
