import { describe, expect, test } from 'vitest';
import { startConnectedSite } from '../support/selling-site.ts';
import { startStripePages } from '../support/stripe-pages.ts';
import { createPerson } from './person.ts';
import { wantedBrowsers } from './wanted.ts';

describe.for(wantedBrowsers)('$name', (browser) => {
  test.skipIf(browser.missing !== null)('follows the form of buying to the payment page', async () => {
    await using app = await startConnectedSite({ livemode: true });
    await using pages = await startStripePages(app.baseUrl);
    await using driver = await browser.start({ scheme: 'light', width: 1280 });
    const { id } = await app.sellPost();
    const person = createPerson(driver, pages.url);
    await person.go(`/buy/${id}`);
    await person.fill('Email', 'grace@example.com');
    await person.click('button', 'Continue to payment');
    await person.sees('Pay here');
    expect(pages.seen).toEqual([expect.stringMatching(/^\/c\/pay\/cs_live_/)]);
  });
});
