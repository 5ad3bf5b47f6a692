// Dialog: asks before something is done. The browser's own: it traps focus, and Escape closes it.

import { type ReactElement, type ReactNode, useEffect, useId, useRef } from 'react';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The buttons, the last one does it. */
  readonly actions?: ReactNode;
}

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, children, actions }: DialogProps): ReactElement {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className="hd-dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="hd-dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
        {actions === undefined ? null : <div className="hd-dialog-actions">{actions}</div>}
      </div>
    </dialog>
  );
}
