/** An operation of the API as a form (operations.ts). */
export interface Operation {
  readonly id: string;
  readonly title: string;
  readonly resource: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** `/social/post/{post_id}`. */
  readonly path: string;
  readonly isIdempotent: boolean;
  readonly fields: readonly OperationField[];
}

export interface OperationField {
  readonly name: string;
  readonly in: string;
  readonly isRequired: boolean;
  readonly type: string;
  readonly description: string;
  readonly options?: readonly unknown[];
}
