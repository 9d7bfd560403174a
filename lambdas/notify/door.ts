/** Delivers notifications that are due (spec §6): on a schedule, never on a caller's time. */
import { slackNotifier } from '#adapters/http/slack-client.ts';
import { webhookNotifier } from '#adapters/http/webhook-sender.ts';
import { deliverDue, type Notifier } from '#core/approvals/deliver.ts';
import type { GatewayPorts } from '../ports.ts';

export const door = (ports: GatewayPorts) => async (): Promise<{ delivered: number }> => ({
  delivered: await deliverDue({ ...ports, random: Math.random, notifier: (channel) => notifierFor(ports, channel) }),
});

/** The notifier of a configured channel; undefined when it is off or its secret is missing. */
async function notifierFor(ports: GatewayPorts, channel: string): Promise<Notifier | undefined> {
  const { slack, webhook } = (await ports.snapshots.current()).configuration.approvals.channels;
  const { adminUrl, clock } = ports;
  if (channel === 'slack' && slack?.enabled) {
    const token = await ports.secrets.get(slack.bot_token_env);
    const linkBase = slack.link_base ?? adminUrl;
    return token ? slackNotifier({ apiUrl: slack.api_url, channel: slack.channel, token, linkBase }) : undefined;
  }
  if (channel === 'webhook' && webhook?.enabled) {
    const secret = await ports.secrets.get(webhook.secret_env);
    return secret ? webhookNotifier({ url: webhook.url, secret, adminUrl, clock }) : undefined;
  }
  return undefined;
}
