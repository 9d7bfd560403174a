/** Verifies a bundle from a file: it is read in the browser and sent nowhere. */
import { useState } from 'preact/hooks';
import { noKeys, TrustedKeys, useVerifier, Verdict } from './verdict.tsx';

export function BundleFile() {
  const [keys, setKeys] = useState(noKeys);
  const [file, setFile] = useState<File | undefined>();
  const verifier = useVerifier();
  const submit = (event: Event) => {
    event.preventDefault();
    if (file) verifier.verify(async () => new Uint8Array(await file.arrayBuffer()), keys);
  };
  return (
    <section>
      <h2>Verify an exported bundle</h2>
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
        <button type="submit" disabled={verifier.busy}>
          Verify
        </button>
      </form>
      <Verdict of={verifier} />
    </section>
  );
}
