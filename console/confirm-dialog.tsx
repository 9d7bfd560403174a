/** The last step before something that cannot be undone: what it is, and one button that sends it. A refusal stands in the dialog. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog, type DialogProps } from './dialog.tsx';
import { Notice } from './ui.tsx';

interface ConfirmDialogProps extends DialogProps {
  /** Of the button that sends. */
  readonly label: string;
  readonly tone: 'good' | 'bad';
  readonly send: () => Promise<void>;
  /** What is shown of an error of `send`. */
  readonly refusal: (cause: unknown) => string;
  readonly children: ComponentChildren;
}

export function ConfirmDialog({ title, label, tone, close, send, refusal, children }: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await send();
      close();
    } catch (cause) {
      setFault(refusal(cause));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={submit}>
        {children}
        <div role="alert">{fault !== undefined && <Notice kind="bad">{fault}</Notice>}</div>
        <p class="buttons">
          <button type="submit" class={tone} disabled={busy}>
            {label}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
