/**
 * What the service promises, written down by hand and apart from its code: tests compare the two. A change here is a
 * change of the contract.
 */

interface SpecifiedResource {
  /** What one record is called in the names of tools. */
  one: string;
  /** Fields that a write takes; * marks those that a new record must have. */
  fields: string;
  v1: Operation[];
  v2?: Operation[];
}

type Operation = 'list' | 'get' | 'create' | 'update' | 'delete';

const write: Operation[] = ['create', 'update', 'delete'];

export const specifiedResources: Record<string, SpecifiedResource> = {
  posts: {
    one: 'post',
    fields: 'title* slug content excerpt visibility is_draft published_at featured tags access_tier',
    v1: ['list', 'get', ...write],
    v2: ['list', 'get'],
  },
  projects: {
    one: 'project',
    fields: 'title* slug description url repo_url status visibility is_draft tech_stack tags',
    v1: ['list', 'get', ...write],
    v2: ['list', 'get'],
  },
  courses: {
    one: 'course',
    fields:
      'title* slug description instructor_name instructor_bio access_tier price sequential_access difficulty estimated_hours tags learning_outcomes visibility is_draft sort_order',
    v1: ['list', ...write],
    v2: ['list', 'get'],
  },
  talks: {
    one: 'talk',
    fields:
      'title* event event_url date location description slides_url video_url visibility is_draft sort_order',
    v1: ['list', ...write],
    v2: ['list', 'get'],
  },
  experience: {
    one: 'experience',
    fields:
      'company* title* location start_date end_date description bullets skills visibility is_draft sort_order',
    v1: ['list', ...write],
  },
  education: {
    one: 'education',
    fields: 'institution* degree field start_date end_date description visibility is_draft sort_order',
    v1: ['list', ...write],
  },
  skills: {
    one: 'skill',
    fields: 'name* category proficiency visibility sort_order',
    v1: ['list', ...write],
  },
  certifications: {
    one: 'certification',
    fields: 'name* issuer issue_date expiry_date credential_id credential_url visibility is_draft sort_order',
    v1: ['list', ...write],
  },
};

const methods: Record<Operation, string> = {
  list: 'GET',
  get: 'GET',
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
};

function endpointsOf(version: 'v1' | 'v2', scopes: { read: string; write: string }): string[] {
  return Object.entries(specifiedResources).flatMap(([collection, resource]) =>
    (resource[version] ?? []).map((operation) => {
      const one = operation === 'list' || operation === 'create' ? '' : '/{}';
      const scope = write.includes(operation) ? scopes.write : scopes.read;
      return `${methods[operation]} ${version}/${collection}${one} ${scope}`;
    }),
  );
}

/** Endpoints behind an API key: method, path, and the scope that the key needs. */
export const specifiedEndpoints = [
  ...endpointsOf('v1', { read: 'read', write: 'write' }),
  ...endpointsOf('v2', { read: 'read:content', write: '' }),
  'GET v1/profile read',
  'GET v1/search read',
  'GET v1/webhooks/events read',
  'GET v1/webhooks/poll/{} read',
  'GET v2/courses/{}/curriculum read:content',
  'GET v2/preview read:content',
  'GET v2/members read:members',
  'GET v2/analytics read:analytics',
  'GET v2/offers read:payments',
  'GET v2/purchases read:payments',
  'POST v2/purchases write:payments',
  'PATCH v2/purchases/{} write:payments',
  'GET v2/memberships read:payments',
  'POST v2/memberships write:payments',
  'POST v2/checkouts write:payments',
  'GET v2/checkouts/{} read:payments',
  'GET v2/enrollments read:learners',
  'POST v2/enrollments write:learners',
  'POST v2/enrollments/{}/complete write:learners',
  'POST v2/enrollments/{}/end write:learners',
  'GET v2/subscribers read:subscribers',
  'GET v2/subscribers/{} read:subscribers',
  'POST v2/subscribers write:subscribers',
  'PATCH v2/subscribers/{} write:subscribers',
  'DELETE v2/subscribers/{} write:subscribers',
  'POST v2/mailings/preview write:newsletter',
  'POST v2/mailings/test write:newsletter',
  'POST v2/mailings send:newsletter',
  'GET v2/mailings read:newsletter',
  'GET v2/mailings/{} read:newsletter',
  'GET v2/mailings/{}/recipients read:newsletter',
  'POST v2/mailings/{}/pause send:newsletter',
  'POST v2/mailings/{}/resume send:newsletter',
  'POST v2/mailings/{}/cancel send:newsletter',
  'POST v2/mailings/{}/retry send:newsletter',
  'POST v2/mailings/feedback write:newsletter',
  'POST v2/webhooks write:webhooks',
  'GET v2/webhooks write:webhooks',
  'DELETE v2/webhooks/{} write:webhooks',
  'POST v2/media write:media',
  'GET v2/media write:media',
  'GET v2/media/{} write:media',
  'PATCH v2/media/{} write:media',
  'DELETE v2/media/{} write:media',
];

/** Endpoints below `/api/admin`, which need an owner's session. */
export const specifiedForOwners = [
  'POST api-keys',
  'GET api-keys',
  'PATCH api-keys/{}',
  'DELETE api-keys/{}',
  'POST api-keys/{}/rotate',
  'POST webhooks',
  'GET webhooks',
  'PATCH webhooks/{}',
  'DELETE webhooks/{}',
  'POST webhooks/{}/test',
  'GET webhooks/{}/deliveries',
  'GET webhooks/{}/deliveries/{}',
  'POST webhooks/{}/deliveries/{}/redeliver',
  'POST webhooks/{}/replay',
  'POST webhooks/{}/rotate-secret',
  'POST media',
];

/** What assistants are offered with every scope. */
export const specifiedTools = [
  ...Object.entries(specifiedResources).flatMap(([collection, { one, v1, v2 = [] }]) => {
    const operations = new Set([...v1, ...v2]);
    return [...operations].map((operation) =>
      operation === 'list' ? `list_${collection}` : `${operation}_${one}`,
    );
  }),
  'create_mailing',
  'create_webhook',
  'get_analytics',
  'get_course_curriculum',
  'get_draft',
  'get_mailing',
  'get_profile',
  'list_drafts',
  'list_events',
  'list_mailings',
  'list_members',
  'list_memberships',
  'list_offers',
  'list_purchases',
  'poll_events',
  'preview_mailing',
  'search',
  'update_profile',
];
