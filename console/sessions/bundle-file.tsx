/** Verifies a bundle from a file, which stays in the browser. */
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Card } from '../design/layout.tsx';
import { noKeys, TrustedKeys, useVerifier, Verdict } from './verdict.tsx';

export function BundleFile() {
  const [keys, setKeys] = useState(noKeys);
  const [file, setFile] = useState<File | undefined>();
  const verifier = useVerifier();
  const submit = (event: Event) => {
    event.preventDefault();
    if (file) verifier.verify(async () => file, keys);
  };
  return (
    <Card title="Verify an exported bundle" icon="chain">
      <p class="quiet">The file stays in this browser and is not sent anywhere.</p>
      <form onSubmit={submit}>
        <label for="bundle">Bundle (JSON)</label>
        <input
          id="bundle"
          type="file"
          accept="application/json,.json"
          required
          onChange={(event) => setFile(event.currentTarget.files?.[0])}
        />
        <TrustedKeys of={keys} change={setKeys} />
        <Button type="submit" disabled={verifier.busy}>
          Verify
        </Button>
      </form>
      <Verdict of={verifier} />
    </Card>
  );
}
