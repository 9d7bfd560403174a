/** The delivery schedule: pages until no message is due. */
import { deliverUntilNoneIsDue } from '#core/approvals/notifications/deliver.ts';
import { deliverySetting as setting } from './delivery-setting.ts';

describe('[notify.events] the schedule', () => {
  const many = async (enqueue: ReturnType<typeof setting>['enqueue'], count: number) => {
    for (let i = 0; i < count; i++) await enqueue('submitted', ['slack'], `approval-${i}`);
  };

  test('stops when its time is up, and the next run sends the rest', async () => {
    const { ports, enqueue, pass } = setting();
    await many(enqueue, 25);
    const due: typeof ports.deliveries.due = async (...given) => {
      const page = await ports.deliveries.due(...given);
      pass(30);
      return page;
    };
    expect(await deliverUntilNoneIsDue({ ...ports, deliveries: { ...ports.deliveries, due } }, 45_000, 10)).toBe(20);
    expect(await deliverUntilNoneIsDue(ports, 45_000, 10)).toBe(5);
  });

  test('stops if the store accepts no claim', async () => {
    const { ports, sent, enqueue } = setting();
    await many(enqueue, 3);
    const update = () => Promise.reject(new Error('the store is down'));
    expect(await deliverUntilNoneIsDue({ ...ports, deliveries: { ...ports.deliveries, update } }, 45_000)).toBe(0);
    expect(sent).toEqual([]);
  });

  test('stops if another worker has claimed a whole page', async () => {
    const { ports, enqueue } = setting();
    await many(enqueue, 3);
    let pages = 0;
    const deliveries = {
      ...ports.deliveries,
      due: async () => {
        pages++;
        return ports.deliveries.due('9999', 3);
      },
      update: async () => false,
    };
    expect(await deliverUntilNoneIsDue({ ...ports, deliveries }, 45_000)).toBe(0);
    expect(pages).toBe(1);
  });
});
