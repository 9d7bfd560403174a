/** A modal dialog of the browser's own: it holds the focus, Escape closes it, and the focus returns to where it was. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  readonly title: string;
  /** Called when it is closed; a dialog that is still rendered after that opens again. */
  readonly close: () => void;
  /** `drawer` at the left edge, `palette` at the top with its title unseen. */
  readonly kind?: 'drawer' | 'palette';
  readonly children: ComponentChildren;
}

export function Dialog({ title, close, kind, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Two dialogs may be open, one above the other.
  const titleId = useId();
  // During the render, so that a key pressed right afterwards goes to the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      // After the dialog is removed: before that, no element beneath it can take the focus.
      queueMicrotask(() => before instanceof HTMLElement && before.focus());
    };
  }, []);
  return (
    <dialog ref={dialog} class={kind} aria-labelledby={titleId} onClose={close}>
      <h2 id={titleId} class={kind && 'unseen'}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
