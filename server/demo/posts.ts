import type { post } from '../../shared/contract/resources/post.ts';
import type { Dated } from './dated.ts';

/** All tiers and states: read them through the API to see what is withheld, and why. */
export const posts: Dated<typeof post>[] = [
  {
    daysAgo: 2,
    title: 'The queue that forgot Tuesdays',
    excerpt: 'Every Tuesday, eleven invoices went missing. The queue swore it had never seen them.',
    content: `Every Tuesday, eleven invoices went missing. Never ten, never twelve.

We looked where everyone looks first: the network, the deploy, the intern. All three had alibis. Then somebody noticed that Tuesday was the day the finance team opened the quarterly report, which took a lock, which made one transaction commit *late*.

Our consumer asked for "everything with an id above the last one I saw". Ids are handed out when a transaction starts writing, not when it commits. So id 1,004 became visible before id 1,003, the consumer moved on, and 1,003 to 1,013 arrived in a room that everybody had left.

The fix was one line: read no further than the oldest transaction that is still running.

The lesson was longer. **An order that you did not ask the database for is an order that you do not have.**`,
    featured: true,
    tags: ['postgresql', 'queues', 'war-stories'],
  },
  {
    daysAgo: 9,
    title: 'Type-safe APIs without a build step',
    slug: 'type-safe-apis',
    excerpt: 'Node runs TypeScript now. I deleted four config files and nobody noticed, which was the point.',
    content: `Node strips types by itself these days. That sentence took ten years and deserves a small parade.

What I deleted, in order of joy:

1. the bundler configuration (212 lines, 9 of them understood),
2. the watch script that watched the other watch script,
3. the folder called \`dist-old-2\`.

What I kept is the contract. One Zod schema says what a post is; the route, the client and the documentation are made from it. When I rename a field, the compiler reads me the list of places that are now wrong. It is like having a very strict friend.

You give up enums and parameter properties. You get a stack trace whose line numbers are true.`,
    tags: ['typescript', 'api'],
  },
  {
    daysAgo: 16,
    title: 'Retry like you mean it',
    excerpt: 'A retry is a promise to be annoying at a well-chosen time.',
    content: `There are two kinds of retry: the one that helps, and the one in the incident report.

The helpful one has three properties. It **waits longer each time**, because whoever is down is rarely down for one second. It **carries the same id**, because the first attempt may have worked and only the answer got lost. And it **stops**, because after half a day you are no longer retrying, you are haunting.

One minute, five minutes, half an hour, two hours, twelve hours. Then let go. Write it down somewhere a human will look, and let go.`,
    tags: ['webhooks', 'reliability'],
  },
  {
    daysAgo: 24,
    title: 'An index is a promise about the future',
    excerpt: 'Every index makes one question fast and every answer a little slower. Choose your questions.',
    content: `People add indexes the way people add salt: the second spoon is where it goes wrong.

An index says: *someone will ask this, often, and it is worth slowing down every write for them*. If you can't name that someone, don't make the promise.

My rule of thumb: write down the five queries that run most. Give each the one index that makes it boring. Then look at \`pg_stat_user_indexes\` a month later and remove the ones with a zero. They will not be missed; that is what zero means.`,
    tags: ['postgresql', 'performance'],
  },
  {
    daysAgo: 33,
    title: 'What I carry on the boat',
    excerpt: 'Notes on redundancy from somebody who once sailed home with a frying pan for a rudder.',
    content: `A sailing boat is a distributed system with a kettle.

There are two anchors, because the first will be stuck when it matters. There are three ways to know the depth, and the one that never fails is a lead weight on a string. Everything that must work in the dark has been practised in the dark.

I also carry a frying pan, about which I will say only that it floats for a surprisingly short time and steers for a surprisingly long one.`,
    tags: ['sailing', 'reliability'],
  },
  {
    daysAgo: 41,
    title: 'The kindest error message I know',
    excerpt: 'It says what happened, what was meant, and what to do. It fits in one line.',
    content: `\`port 3000 is in use by another program; choose another: PORT=3001\`

That's it. That is the whole post. It says what happened, whose fault it is not, and what to type next.

Now open the last error you wrote and read it aloud to somebody who is late for dinner.`,
    tags: ['api', 'writing'],
  },
  {
    daysAgo: 48,
    title: 'Reading a query plan over coffee',
    excerpt: 'Sign in (it is free) for the annotated plan and the three numbers that I look at first.',
    content: `Start at the most indented line. That is where the work begins; everything above it is management.

Look at three numbers, in this order: the **rows it expected**, the **rows it got**, and **how often it did that**. When the first two differ by a factor of a hundred, the plan was made for another table, one that exists only in the statistics. Run \`analyze\` and have another coffee.

Only then look at the time. Time is a symptom.`,
    access_tier: 'registered',
    tags: ['postgresql', 'performance'],
  },
  {
    daysAgo: 57,
    title: 'A field guide to locks',
    excerpt: 'Eight lock modes, drawn as birds. For registered readers, who voted for the puffin.',
    content: `**Access share** is the sparrow: everywhere, harmless, gets along with nearly everyone.

**Row exclusive** is the robin. Sings while it writes.

**Share update exclusive** is the heron that stands where you wanted to run \`vacuum\`.

**Access exclusive** is the goose. Nothing passes the goose. You bring the goose with \`alter table\`, you bring it at noon, and behind it a queue forms that reaches to the car park.

Set \`lock_timeout\` before you bring the goose.`,
    access_tier: 'registered',
    tags: ['postgresql', 'locks'],
  },
  {
    daysAgo: 66,
    title: 'Migrating 400 million rows before lunch',
    excerpt: 'The whole runbook, with the commands, the timings and the moment I stopped breathing.',
    content: `09:00. New column, nullable, no default. Two milliseconds. The goose barely landed.

09:01. A trigger keeps it filled for every new write.

09:05. The backfill: 5,000 rows at a time, by primary key, with a pause as long as the batch took. Ten workers would be faster. Ten workers would also be noticed.

12:10. \`alter table … add constraint … not valid\`, then \`validate constraint\`, which reads everything and blocks nobody.

12:31. Drop the trigger. Lunch.

The moment I stopped breathing was 10:42, when the replica fell behind by four minutes. The pause doubled itself, as it was told to, and by 10:50 we were all friends again.`,
    access_tier: 'paid',
    featured: true,
    tags: ['postgresql', 'migrations', 'runbook'],
  },
  {
    daysAgo: 75,
    title: 'The pricing page teardown',
    excerpt: 'What happened to sales when I removed a plan, a table and an adjective.',
    content: `The plan that I removed was called *Enterprise*. In three years it had sold once, to a school that had misread the page.

The table that I removed had 41 rows of ticks. Nobody had asked about any of them in 600 e-mails.

The adjective was *powerful*.

Sales went up by 18 % in the first month, and the e-mails got shorter. I am told the school is happy with *Basic*.`,
    access_tier: 'paid',
    tags: ['business', 'writing'],
  },
  {
    daysAgo: 83,
    title: 'Office hours: your schemas, gently judged',
    excerpt: 'This month’s recording for members: six schemas, two time zones, one table with 311 columns.',
    content: `Thank you to the six of you who brought a schema, and to the one who brought a cake.

**The table with 311 columns** had a good reason for 290 of them. We split off the rest and gave them names that say what they are.

**The e-mail address as primary key** will get married next year and change its name. Use something that means nothing.

**"We keep times without zones, but we know they are local."** Local to whom, and in which March?

The recording is linked in the members' letter. Next month: indexes. Bring cake.`,
    access_tier: 'members',
    tags: ['members', 'schema-design'],
  },
  {
    daysAgo: 92,
    title: 'Behind the numbers, third year',
    excerpt: 'What this site earns, what it costs, and what I got wrong. For members.',
    content: `You pay for this, so you may see the books.

Courses brought 61 % of it, members 27 %, talks 9 %, and the mug shop 3 % (we do not speak of the mug shop). The largest cost was my time; the second largest was e-mail, which still surprises me.

What I got wrong: I wrote too much about tools and too little about judgement. The posts with the fewest code blocks were read to the end twice as often.`,
    access_tier: 'members',
    tags: ['members', 'business'],
  },
  {
    daysAgo: 104,
    title: 'Letters from the early birds',
    excerpt: 'An archive of the old newsletter, whose club no longer exists.',
    content: `These letters belong to a club that closed in 2022. They stay here, and they stay shut: a tier that nobody knows is a tier that nobody opens.`,
    access_tier: 'early-birds',
    tags: ['archive'],
  },
  {
    daysAgo: 118,
    title: 'Seven small webhooks, seven small disasters',
    excerpt: 'A receiver checks the signature over the bytes it got, not over the bytes it wishes it got.',
    content: `1. Parsed the JSON, printed it again, signed that. Spaces differ; so do signatures.
2. Compared signatures with \`===\`. Somebody with patience and a stopwatch sends their regards.
3. Did the work before answering. The sender timed out, and sent it again. And again.
4. Did not remember delivery ids. See 3.
5. Redirected to the new address. A POST walked in, a GET walked out.
6. Put the secret in the URL, and the URL in the log, and the log in the ticket.
7. Trusted the clock of a laptop that had been asleep since Easter.`,
    tags: ['webhooks', 'security', 'war-stories'],
  },
  {
    daysAgo: 131,
    title: 'Uses: the tools behind this site',
    excerpt: 'Unlisted: a page for those who have the link.',
    content:
      'A second-hand laptop, a first-rate chair, PostgreSQL, and a window that looks at ships. If you are reading this, somebody gave you the link, and I hope they gave you the one about the kettle too.',
    visibility: 'unlisted',
    tags: ['meta'],
  },
  {
    daysAgo: 140,
    title: 'Notes from the salary negotiation',
    content: 'Private. If you can read this over the API, something is very wrong, and I would like to know.',
    visibility: 'private',
    tags: ['private'],
  },
  {
    daysAgo: 1,
    title: 'Why I stopped worrying about microseconds',
    excerpt: 'A draft that worries about microseconds at some length.',
    content:
      'Draft. The first paragraph is good. The second paragraph measures something. TODO: find out what.',
    is_draft: true,
    tags: ['performance'],
  },
  {
    daysAgo: 5,
    title: 'The goose, revisited',
    excerpt: 'Draft for registered readers: everything that I got wrong about lock modes.',
    content: 'Draft. Three readers have written to defend the goose. They have a point about geese.',
    is_draft: true,
    access_tier: 'registered',
    tags: ['postgresql', 'locks'],
  },
];
