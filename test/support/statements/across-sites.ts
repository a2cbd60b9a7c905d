/**
 * Unique columns that identify one row among all sites, each with a reason. The caller does not know the site
 * beforehand.
 */
export const lookups = {
  'api_keys.key_hash': 'a key says what it opens, and comes before all else',
  'api_keys.previous_key_hash': 'the same, after a rotation',
  'invitations.token_hash': 'a link says whose it is, and comes before all else',
  'oauth_grants.person_id': 'a new password ends what was connected with one that was lost',
  'oauth_tokens.token_hash': 'a token says whose it is, and comes before all else',
  'owner_sessions.token_hash': 'a session says whose it is',
  'owner_sessions.owner_id':
    'somebody is signed in on all the sites that they work on, and a new password ends all of it',
  'site_people.person_id': 'a login names no site: whoever knows the password works on one or several',
  'sites.custom_domain': 'a visitor comes by a host name',
  'sites.subdomain': 'the same, below the service',
} satisfies Record<`${string}.${string}`, string>;

interface Exception {
  why: string;
  /** Statements that read rows of all sites, by table. */
  statements: [table: string, text: RegExp][];
}

/** Statements about all sites of their database. */
export const acrossSites: readonly Exception[] = [
  {
    why: 'a host that no site claims is of the only site there is: two are enough to see that there are several',
    statements: [['sites', /select [\w, ]+, false from sites order by id limit 2/]],
  },
  {
    why: 'the worker looks for what is due, whosever it is; what it then does for a site names it',
    statements: [
      ['events', /from events, unhurried where awaits_fan_out order by occurred_at/],
      ['any', /^\/\* prepared statement \*\/ with recursive earliest .* as removals/],
      ['webhook_deliveries', /^with recursive earliest/],
      ['webhook_deliveries', /lease_until < now\(\) and attempt_count >= attempt_limit/],
      ['webhook_deliveries', /where lease_until > now\(\) \+ \S+ \* interval/],
      ['media_to_size', /^with recursive sites as \( \(select site_id from media_to_size/],
      ['media_removals', /from media_removals r where r\.due_at <= now\(\)/],
      ['media', /from media_removals r where r\.due_at <= now\(\)/],
    ],
  },
  {
    why: 'one look at all collections says when the next draft of any site is due, and its rows whose it is',
    statements: [
      ['any', /min\(publish_at\) as first/],
      ['any', /where publish_at <= .* order by publish_at limit \S+ for update skip locked/],
    ],
  },
  {
    why: 'what is past its time goes, whosever it was',
    statements: [
      ['any', /^delete from "\w+" where ctid in \( select ctid from "\w+" as old where/],
      [
        'oauth_tokens',
        /^update oauth_tokens set successor_sealed = null where successor_sealed is not null and replaced_at <=/,
      ],
      ['webhook_deliveries', /^with gone as \( delete from webhook_deliveries/],
      ['trash', /from trash where deleted <=/],
    ],
  },
  {
    why: 'views are kept by day, so that a day goes as a whole, and is summed by site once it is over',
    statements: [
      ['page_views', /^create table if not exists "page_views_\d+" partition of page_views/],
      ['page_views', /select distinct site_id as id from page_views where day =/],
      ['any', /^drop table/],
    ],
  },
  {
    why: 'whether a store is that of the database, a few of its files tell, whosever they are',
    statements: [['media', /^select site_id, id from media order by created desc limit/]],
  },
  {
    why: 'the metric is of the whole queue',
    statements: [['events', /min\(occurred_at\) as since from events where awaits_fan_out/]],
  },
];
