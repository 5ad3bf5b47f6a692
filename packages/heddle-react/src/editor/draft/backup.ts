// Backup: what was not saved when a page went, kept in the browser until it is. A browser that keeps nothing is no error.

import type { Document } from '../model/history.ts';

export interface Backup {
  readonly document: Document;
  /** Of the draft that it was drawn over. */
  readonly revision: number | null;
}

export interface BrowserPlace {
  /** Of the server; empty: where the page came from. */
  readonly url: string;
  readonly tenant: string;
  readonly workflow: string;
}

/** Whoever uses this browser next may be of another tenant, and a page may show several servers: none finds what is another's. */
export const placeOf = ({ url, tenant, workflow }: BrowserPlace): string => JSON.stringify([url, tenant, workflow]);

const nameOf = (place: string): string => `heddle-draft:${place}`;

export function keepBackup(place: string, backup: Backup): void {
  try {
    localStorage.setItem(nameOf(place), JSON.stringify(backup));
  } catch {
    // Full, or not allowed: there is nothing else to keep it in.
  }
}

export function forgetBackup(place: string): void {
  try {
    localStorage.removeItem(nameOf(place));
  } catch {
    // See above.
  }
}

export function readBackup(place: string): Backup | null {
  try {
    const text = localStorage.getItem(nameOf(place));
    return text === null ? null : (JSON.parse(text) as Backup); // written above
  } catch {
    return null;
  }
}
