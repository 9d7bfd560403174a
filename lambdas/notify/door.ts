/** Delivers notifications that are due (spec §6): on a schedule, never on a caller's time. */
import { pullRequestHost, pullRequestNotifier } from '#adapters/http/pull-request-host.ts';
import { slackNotifier } from '#adapters/http/slack-client.ts';
import { webhookNotifier } from '#adapters/http/webhook-sender.ts';
import { deliverDue, type Notifier } from '#core/approvals/deliver.ts';
import type { GatewayPorts } from '../ports.ts';

export const door = (ports: GatewayPorts) => async (): Promise<{ delivered: number }> => ({
  delivered: await deliverDue({ ...ports, random: Math.random, notifier: (channel) => notifierFor(ports, channel) }),
});

/** The notifier of a configured channel; undefined when it is off. A missing secret is a failure that names itself. */
async function notifierFor(ports: GatewayPorts, channel: string): Promise<Notifier | undefined> {
  const { slack, github, webhook } = (await ports.snapshots.current()).configuration.approvals.channels;
  const { adminUrl, clock } = ports;
  if (channel === 'slack' && slack?.enabled) {
    const token = await secretOf(ports, slack.bot_token_env);
    return slackNotifier({
      apiUrl: slack.api_url,
      channel: slack.channel,
      token,
      linkBase: slack.link_base ?? adminUrl,
    });
  }
  if (channel === 'github' && github?.enabled) {
    const token = await secretOf(ports, github.token_env);
    return pullRequestNotifier({
      host: pullRequestHost({ apiUrl: github.api_url, token, timeoutMs: 10_000 }),
      channel: github,
      linkBase: github.link_base ?? adminUrl,
    });
  }
  if (channel === 'webhook' && webhook?.enabled) {
    const secret = await secretOf(ports, webhook.secret_env);
    return webhookNotifier({ url: webhook.url, secret, adminUrl, clock });
  }
  return undefined;
}

async function secretOf({ secrets }: GatewayPorts, name: string): Promise<string> {
  const value = await secrets.get(name);
  if (!value) throw new Error(`the secret ${name} is missing`);
  return value;
}
