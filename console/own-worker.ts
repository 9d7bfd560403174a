/** Starts the console's workers. The page's content security policy allows workers from these addresses only. */
const scripts = { verifier: 'verifier.js', engine: 'engine.js' } as const;

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string },
  ): { createScriptURL(text: string): string };
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies };
const policy = trustedTypes?.createPolicy('verifier', {
  createScriptURL: (text) => (text === scripts.engine ? scripts.engine : scripts.verifier),
});

export const ownWorker = (name: keyof typeof scripts): Worker =>
  new Worker(policy?.createScriptURL(scripts[name]) ?? scripts[name], { type: 'module' });
