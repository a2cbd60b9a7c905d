/** Type tests of the client. `tsc` runs them; the functions are never called. */
import { expectTypeOf, test } from 'vitest';
import {
  type ApiClient,
  type ErrorCode,
  etagOf,
  type InputOf,
  isApiError,
  type OutputOf,
  pages,
} from '../../client/sdk/index.ts';
import type { ErrorCode as ServerErrorCode } from '../../shared/contract/errors.ts';

declare const client: ApiClient;

type Flat<T> = { [K in keyof T]: T[K] };

type Post = Flat<
  {
    id: string;
    title: string;
    slug: string;
    excerpt: string;
    content?: string | undefined;
    tags: string[];
    published_at: Date | null;
    created: Date;
    updated: Date;
    is_gated?: true | undefined;
    gate_reason?:
      | 'registered_login_required'
      | 'purchase_required'
      | 'subscription_required'
      | 'unknown_access_tier'
      | undefined;
    visibility: 'public' | 'unlisted' | 'private';
    featured: boolean;
  } & Included
>;

/** Fields that `include` adds. */
type Included = {
  cover?:
    | {
        url: string;
        alt: string;
        caption: string;
        width: number;
        height: number;
        widths: number[];
        focus: { x: number; y: number } | null;
      }
    | null
    | undefined;
  meta_title?: string | undefined;
  meta_description?: string | undefined;
};

/** A post with some of its fields, and the fields that `include` may add. */
type Some<Name extends keyof Post> = Pick<Post, Name | keyof Included>;

test("inputs and outputs of the client's procedures have the types of the contract", () => {
  expectTypeOf<OutputOf<ApiClient['v1']['posts']['get']>>().toEqualTypeOf<Post>();
  expectTypeOf(client.v1.posts.list.query()).resolves.toEqualTypeOf<{
    data: Post[];
    total: number;
    count: number;
    per_page: number;
    next_cursor?: string | undefined;
  }>();
  expectTypeOf<InputOf<ApiClient['v1']['skills']['create']>>().toEqualTypeOf<{
    name: string;
    category?: string | null | undefined;
    proficiency?: string | null | undefined;
    visibility?: 'public' | 'unlisted' | 'private' | null | undefined;
    sort_order?: number | null | undefined;
  }>();
  expectTypeOf<InputOf<ApiClient['v1']['posts']['create']>['published_at']>().toEqualTypeOf<
    string | Date | null | undefined
  >();
  expectTypeOf<OutputOf<ApiClient['v1']['courses']['list']>['data'][number]['price']>().toEqualTypeOf<
    number | null
  >();
  expectTypeOf(client.v1.posts.create.mutate({ title: 'A' })).resolves.toEqualTypeOf<{
    id: string;
    created?: Date | undefined;
  }>();
  expectTypeOf(client.v1.posts.delete.mutate({ id: 'a' })).resolves.toEqualTypeOf<{ status: 'deleted' }>();
});

test('inputs that break the contract do not compile', () => {
  // @ts-expect-error a title is required
  client.v1.posts.create.mutate({});
  // @ts-expect-error a field that does not exist
  client.v1.posts.create.mutate({ title: 'A', titel: 'B' });
  // @ts-expect-error a title can't be unset
  client.v1.posts.update.mutate({ id: 'a', title: null });
  // @ts-expect-error an update needs an id
  client.v1.posts.update.mutate({ title: 'A' });
  // @ts-expect-error an unknown order
  client.v1.posts.list.query({ sort: 'slug' });
  // @ts-expect-error an unknown parameter
  client.v1.posts.list.query({ limits: 5 });
  // @ts-expect-error a number as text
  client.v1.posts.list.query({ limit: '5' });
  // @ts-expect-error this takes nothing
  client.v1.talks.list.query({ limit: 5 });
  // @ts-expect-error a post is found by its slug
  client.v1.posts.get.query();
  // @ts-expect-error a read is no write
  client.v1.posts.list.mutate;
  // @ts-expect-error a write is no read
  client.v1.posts.create.query;
  // @ts-expect-error courses are not read one by one in v1
  client.v1.courses.get;
});

test('a list with `fields` has the type of only these fields', () => {
  expectTypeOf(client.v1.posts.list.query({ fields: ['id', 'created'] })).resolves.toEqualTypeOf<{
    data: Some<'id' | 'created'>[];
    total: number;
    count: number;
    per_page: number;
    next_cursor?: string | undefined;
  }>();
  type Chosen<Fields extends readonly Exclude<keyof Post, keyof Included>[]> = Awaited<
    ReturnType<typeof client.v1.posts.list.query<Fields>>
  >['data'][number];
  expectTypeOf<Chosen<['content']>>().toEqualTypeOf<Some<'content' | 'is_gated' | 'gate_reason'>>();
  expectTypeOf<Chosen<('id' | 'title')[]>>().toEqualTypeOf<Partial<Some<'id' | 'title'>>>();
  expectTypeOf(client.v1.posts.list.query({ limit: 1, fields: undefined }))
    .resolves.toHaveProperty('data')
    .toEqualTypeOf<Post[]>();
  expectTypeOf(client.v2.posts.list.query({ fields: ['id'] }))
    .resolves.toHaveProperty('items')
    .toEqualTypeOf<Flat<{ id: string } & Included>[]>();
  const named = ['id', 'title'] as const;
  expectTypeOf(client.v1.posts.list.query({ fields: named }))
    .resolves.toHaveProperty('data')
    .toEqualTypeOf<Some<'id' | 'title'>[]>();
  // @ts-expect-error a field that a post does not have
  client.v1.posts.list.query({ fields: ['body'] });
  // @ts-expect-error names are a list here; text with commas is the REST form
  client.v1.posts.list.query({ fields: 'id,title' });
  expectTypeOf(client.v1.skills.list.query({ fields: ['id', 'name'] }))
    .resolves.toHaveProperty('data')
    .toEqualTypeOf<{ id: string; name: string }[]>();
  // @ts-expect-error this list is not sparse
  client.studio.testimonials.list.query({ fields: ['id'] });
});

test('lists have the types of their filters', () => {
  expectTypeOf<InputOf<ApiClient['v1']['projects']['list']>>().toEqualTypeOf<
    | {
        cursor?: string | undefined;
        limit?: number | undefined;
        sort?: 'created' | '-created' | 'updated' | '-updated' | 'title' | '-title' | undefined;
        q?: string | undefined;
        fields?:
          | Exclude<keyof Awaited<ReturnType<typeof client.v1.projects.get.query>>, keyof Included>[]
          | undefined;
        include?: ('cover' | 'meta')[] | undefined;
        status?: string[] | undefined;
        visibility?: ('public' | 'unlisted' | 'private')[] | undefined;
        tech_stack?: string[] | undefined;
        tags?: string[] | undefined;
        created_from?: string | Date | undefined;
        created_before?: string | Date | undefined;
        updated_from?: string | Date | undefined;
        updated_before?: string | Date | undefined;
      }
    | undefined
  >();
  client.v1.courses.list.query({ price_max: 50, sequential_access: true, difficulty: ['beginner'] });
  client.v1.experience.list.query({ start_date_from: '2021-03', company: ['Northwind Labs'], q: 'billing' });
  client.v2.members.list.query({
    status: ['blocked'],
    access_tiers: ['paid'],
    last_seen_at_from: new Date(),
  });
  client.studio.posts.list.query({ is_draft: true, sort: 'title', q: 'apis', status: 'draft' });
  client.studio.projects.list.query({ status: ['active'], per_page: 5 });
  client.studio.projects.list.query({ status: 'draft' });
  // @ts-expect-error readers are told of no drafts
  client.v1.posts.list.query({ is_draft: true });
  // @ts-expect-error several values are a list
  client.v1.projects.list.query({ status: 'active' });
  // @ts-expect-error no such choice
  client.v1.projects.list.query({ visibility: ['open'] });
  // @ts-expect-error a number as text
  client.v1.courses.list.query({ price_max: '50' });
  // @ts-expect-error posts are found by the words of their titles
  client.v1.posts.list.query({ title: ['A'] });
  // @ts-expect-error skills have no titles to sort by
  client.studio.skills.list.query({ sort: 'title' });
});

test('`pages` has the type of the records of its list', () => {
  expectTypeOf(pages(client.v1.posts.list)).toEqualTypeOf<AsyncGenerator<Post, void, undefined>>();
  expectTypeOf(pages(client.v1.posts.list, { sort: 'title', fields: ['id'] })).toEqualTypeOf<
    AsyncGenerator<Some<'id'>, void, undefined>
  >();
  expectTypeOf(pages(client.v1.projects.list, { limit: 5 }, { signal: AbortSignal.timeout(1) })).toExtend<
    AsyncIterable<{ title: string; tech_stack: string[]; created: Date }>
  >();
  expectTypeOf(pages(client.v1.events.poll, { event: 'course.enrolled', limit: 5 })).toExtend<
    AsyncIterable<{ id: string; event: 'course.enrolled'; timestamp: Date; data: { buyer_email: string } }>
  >();
  expectTypeOf(pages(client.v2.posts.list, { per_page: 5, fields: ['id'] })).toEqualTypeOf<
    AsyncGenerator<Flat<{ id: string } & Included>, void, undefined>
  >();
  expectTypeOf(pages(client.v2.members.list)).toExtend<AsyncIterable<{ email: string }>>();
  expectTypeOf(pages(client.studio.testimonials.list)).toExtend<AsyncIterable<{ name: string }>>();
  expectTypeOf(pages(client.admin.webhooks.deliveries, { id: 'a' })).toExtend<
    AsyncIterable<{ status: string }>
  >();
  expectTypeOf(pages(client.v1.talks.list)).toExtend<AsyncIterable<{ title: string; event: string }>>();
  expectTypeOf(pages(client.v1.talks.list, undefined, { signal: AbortSignal.timeout(1) })).toExtend<
    AsyncIterable<{ slides_url: string }>
  >();
  expectTypeOf(pages(client.admin.apiKeys.list)).toExtend<AsyncIterable<{ key_prefix: string }>>();
  expectTypeOf(pages(client.v1.events.catalogue)).toExtend<AsyncIterable<{ description: string }>>();
  // @ts-expect-error this list takes nothing
  pages(client.v1.talks.list, { limit: 5 });
  // @ts-expect-error an outline is no list of records
  pages(client.v2.courses.curriculum, { id: 'a' });
  // @ts-expect-error this is no list
  pages(client.v1.posts.get);
  // @ts-expect-error this is a write
  pages(client.v1.posts.create);
  // @ts-expect-error the event to poll is required
  pages(client.v1.events.poll);
  // @ts-expect-error an unknown order
  pages(client.v1.posts.list, { sort: 'slug' });
  expectTypeOf(pages(client.v1.projects.list, { fields: ['id'], status: ['active'] })).toEqualTypeOf<
    AsyncGenerator<Flat<{ id: string } & Included>, void, undefined>
  >();
  // @ts-expect-error this list is not sparse
  pages(client.studio.testimonials.list, { fields: ['id'] });
});

test('`isApiError` gives an unknown error the type of an API error', () => {
  const error: unknown = undefined;
  // @ts-expect-error nothing is known of what was thrown
  error.data;
  if (!isApiError(error)) return;
  expectTypeOf<ErrorCode>().toEqualTypeOf<ServerErrorCode>();
  expectTypeOf(error.data.httpStatus).toBeNumber();
  expectTypeOf(error.data.retryAfter).toEqualTypeOf<number | undefined>();
  expectTypeOf(error.data.requestId).toEqualTypeOf<string | undefined>();
  expectTypeOf(error.data.fields?.[0]).toEqualTypeOf<{ path: string; message: string } | undefined>();
  expectTypeOf<ErrorCode>().toExtend<typeof error.data.code>();
  switch (error.data.code) {
    case 'not_found':
    case 'a_code_of_a_newer_server':
      break;
    default:
      expectTypeOf(error.data.code).toExtend<string>();
  }
});

test('reads and writes have the types of their call options', async () => {
  const signal = AbortSignal.timeout(1);
  const post = await client.v1.posts.get.query({ slug: 'a' }, { signal, etag: true });
  expectTypeOf(etagOf(post)).toBeString();
  await client.v1.posts.update.mutate({ id: 'a' }, { ifMatch: etagOf(post), idempotencyKey: 'b', signal });
  await client.v1.posts.list.query({ fields: ['id'] }, { etag: true });
  await client.v1.events.poll.query({ event: 'content.created' }, { signal });
  // @ts-expect-error a read is not named
  client.v1.posts.list.query({}, { idempotencyKey: 'b' });
  // @ts-expect-error a write brings its tag by itself
  client.v1.posts.update.mutate({ id: 'a' }, { etag: true });
  // @ts-expect-error a tag is text
  client.v1.posts.update.mutate({ id: 'a' }, { ifMatch: post });
});

test('the quota of a client has a type, and may be undefined', () => {
  expectTypeOf(client.quota).toEqualTypeOf<
    { readonly limit: number; readonly remaining: number; readonly reset: Date } | undefined
  >();
});
