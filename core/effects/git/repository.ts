/** Which repository a call is about: `owner/name`, however it was written. */
import type { ToolCall } from '#core/contracts/envelope.ts';

const address = /^(?:(?:https?|ssh|git):\/\/(?:[^@/]*@)?[^/]+\/|[\w.-]+@[\w.-]+:(?!\/\/))(.+)$/i;

/** At least one; more than one where the call contradicts itself, which is said. */
export function repositoriesOf({ target, parameters }: ToolCall, unclear: Set<string>): string[] {
  const { owner, org, organization, repo, repository, repository_name, repo_name, full_name, project_id } = parameters;
  const holder = [owner, org, organization].find((value) => typeof value === 'string');
  const name = [repo, repository, repository_name, repo_name, full_name, project_id].find(
    (value) => typeof value === 'string',
  );
  const found = new Set<string>();
  if (name !== undefined) {
    const plain = repositoryName(name as string);
    found.add(holder === undefined || plain.includes('/') ? plain : `${holder as string}/${plain}`);
  }
  const named = repositoryName(target);
  if (found.size === 0 || isRepository(target, named)) found.add(named);
  // `acme/web` and `web` are the same, said in more and in fewer words.
  const all = [...found].filter((one) => ![...found].some((other) => other !== one && sameTail(other, one)));
  if (new Set(all.map((one) => one.toLowerCase())).size > 1) unclear.add('the call names more than one repository');
  return all;
}

/** Without address, `.git` and slashes at the ends. */
export function repositoryName(text: string): string {
  const plain = (address.exec(text.trim())?.[1] ?? text.trim()).replace(/^\/+|\/+$/g, '');
  return plain.replace(/\.git$/i, '');
}

/** A target of one slash is a repository; with more it is a place inside one. */
const isRepository = (text: string, named: string): boolean => address.test(text) || /^[\w.-]+\/[\w.-]+$/.test(named);

const sameTail = (longer: string, shorter: string): boolean =>
  longer.toLowerCase().endsWith(`/${shorter.toLowerCase()}`);
