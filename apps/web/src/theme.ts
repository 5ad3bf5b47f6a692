// Theme: light, dark, or as the system says; remembered by the browser.

import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'heddle.theme';
const listeners = new Set<() => void>();
let theme: Theme = remembered();

function remembered(): Theme {
  try {
    return themes.find((each) => each === localStorage.getItem(storageKey)) ?? 'system';
  } catch {
    return 'system'; // a browser that keeps nothing
  }
}

export function setTheme(chosen: Theme): void {
  theme = chosen;
  try {
    localStorage.setItem(storageKey, chosen);
  } catch {
    // Kept until the page is closed.
  }
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => theme,
  );
}
