// Heading: the heading of a page names the window, and gets the focus when somebody goes there.

import { type RefObject, useEffect, useRef } from 'react';

/** `main` holds the page; `path` is which. The page that was opened first keeps the focus where the browser put it. */
export function useHeading(main: RefObject<HTMLElement | null>, path: string): void {
  const opened = useRef(path);
  useEffect(() => {
    const element = main.current;
    if (element === null) return undefined;
    const isMove = opened.current !== path;
    opened.current = '';
    let shown: HTMLHeadingElement | null = null;
    const look = (): void => {
      const heading = element.querySelector('h1');
      if (heading === null) return;
      const title = `${heading.textContent} · Heddle`;
      if (document.title !== title) document.title = title;
      if (heading === shown) return;
      const isFirst = shown === null;
      shown = heading;
      heading.tabIndex = -1;
      if (isMove && isFirst) heading.focus({ preventScroll: true });
      // From here on the heading alone matters: what is below it may change many times a second.
      observer.disconnect();
      observer.observe(heading, { childList: true, characterData: true, subtree: true });
    };
    const observer = new MutationObserver(look);
    observer.observe(element, { childList: true, subtree: true });
    look();
    if (isMove) window.scrollTo(0, 0);
    return () => observer.disconnect();
  }, [main, path]);
}
