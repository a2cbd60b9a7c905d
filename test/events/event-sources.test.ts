import { expect, test } from 'vitest';
import { eventNames } from '../../shared/contract/events.ts';
import { fireAllEvents } from '../support/all-events.ts';
import { startApp } from '../support/app.ts';
import { anyId } from '../support/matchers.ts';

// Each of the nine events is fired by its real source and can be polled.

test('all nine events are fired by their sources, with their data', async () => {
  await using app = await startApp();
  const { key, data } = await fireAllEvents(app);
  for (const event of eventNames) {
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await app.get(`/api/v1/webhooks/poll/${event}`, { key })).toEqual({
      status: 200,
      body: { events: [{ id: anyId, event, timestamp, data: data[event] }] },
    });
  }
});
