// Menu: what can be done, behind one button, each with its key. Arrows go from one to the next, Escape closes.

import { type KeyboardEvent, type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from './button.tsx';

export interface MenuItem {
  readonly label: string;
  /** Shown beside it, such as `Ctrl Z`. */
  readonly keys?: string;
  readonly onSelect: () => void;
  readonly isDisabled?: boolean;
}

export interface MenuProps {
  readonly label: ReactNode;
  readonly items: readonly MenuItem[];
}

export function Menu({ label, items }: MenuProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return undefined;
    body.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    const close = ({ target }: Event): void => {
      if (!(target instanceof Node) || body.current?.contains(target) !== true) setOpen(false);
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    body.current?.querySelector<HTMLElement>('button')?.focus();
  };
  return (
    <div ref={body} className="hd-menu" onKeyDown={(event) => isOpen && moveInMenu(event, close)}>
      <Button
        size="small"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {label} <span aria-hidden="true">▾</span>
      </Button>
      {isOpen ? (
        <div role="menu" id={id} className="hd-menu-list">
          {items.map(({ label: text, keys, onSelect, isDisabled = false }) => (
            <button
              key={text}
              type="button"
              role="menuitem"
              className="hd-menu-item"
              aria-disabled={isDisabled}
              tabIndex={-1}
              onClick={() => {
                if (isDisabled) return;
                close();
                onSelect();
              }}
            >
              <span>{text}</span>
              {keys === undefined ? null : <kbd>{keys}</kbd>}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}

function moveInMenu(event: KeyboardEvent<HTMLDivElement>, close: () => void): void {
  if (event.key === 'Escape' || event.key === 'Tab') return close();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  const at = items.findIndex((item) => item === document.activeElement);
  const next = placeOf(event.key, at, items.length);
  if (next === null) return undefined;
  event.preventDefault();
  event.stopPropagation();
  return items[next]?.focus();
}

function placeOf(key: string, at: number, count: number): number | null {
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}
