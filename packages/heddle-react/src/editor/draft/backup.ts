// Backup: what was not saved when a page went, kept in the browser until it is. A browser that keeps nothing is no error.

import type { Document } from '../model/history.ts';

export interface Backup {
  readonly document: Document;
  /** Of the draft that it was drawn over. */
  readonly revision: number | null;
}

const nameOf = (workflow: string): string => `heddle-draft:${workflow}`;

export function keepBackup(workflow: string, backup: Backup): void {
  try {
    localStorage.setItem(nameOf(workflow), JSON.stringify(backup));
  } catch {
    // Full, or not allowed: there is nothing else to keep it in.
  }
}

export function forgetBackup(workflow: string): void {
  try {
    localStorage.removeItem(nameOf(workflow));
  } catch {
    // See above.
  }
}

export function readBackup(workflow: string): Backup | null {
  try {
    const text = localStorage.getItem(nameOf(workflow));
    return text === null ? null : (JSON.parse(text) as Backup); // written above
  } catch {
    return null;
  }
}
