/** The keyboard shortcuts, and the switch that turns them on or off. */
import { useState } from 'preact/hooks';
import { Dialog } from '../design/dialog.tsx';
import { shortcutsOn, switchShortcuts } from './shortcuts.ts';

const keys = [
  ['j', 'the next request'],
  ['k', 'the request before'],
  ['a', 'approve the open request (asks for confirmation)'],
  ['d', 'deny the open request (asks for confirmation)'],
  ['/', 'search'],
  ['Ctrl + Enter', 'send the vote from its dialog'],
  ['?', 'this list'],
] as const;

export function Help({ close }: { readonly close: () => void }) {
  const [on, setOn] = useState(shortcutsOn);
  const switched = () => {
    switchShortcuts(!on);
    setOn(!on);
  };
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>
        <label>
          <input type="checkbox" checked={on} onChange={switched} /> Shortcuts are on in this browser
        </label>
      </p>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
