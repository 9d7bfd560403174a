/** Programs whose plain words are a command and its object, not paths: `git push`, `npm test`. */
const ordered: ReadonlySet<string> = new Set(
  `git gh glab npm pnpm yarn bun deno docker docker-compose podman nerdctl kubectl helm terraform tofu aws gcloud az go cargo pip pip3 uv poetry make
  systemctl service brew apt apt-get`.split(/\s+/),
);

export const takesOrders = (program: string): boolean => ordered.has(program);
